<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\Position;
use Illuminate\Database\Events\TransactionRolledBack;
use Illuminate\Database\LostConnectionDetector;
use Illuminate\Database\QueryException;
use Illuminate\Database\UniqueConstraintViolationException;
use ReflectionClass;
use RuntimeException;

/**
 * The inside of a Spawner: forks on demand, and reports the output of each fork and how it ended. A fork's output
 * reaches this process at once, so it is known even if the fork is killed next.
 */
final class Forks
{
    /** @var array<int, resource> the near end of each fork's socket, by pid */
    private array $sockets = [];

    /** @var array<int, string> */
    private array $said = [];

    public function serve(): void
    {
        $this->load();
        Scenario::rehearse();
        $this->tell(['ready' => true]);

        for (; ;) {
            $readable = [STDIN, ...$this->sockets];
            [$none, $nor] = [null, null];

            if (stream_select($readable, $none, $nor, null) === false) {
                continue;
            }

            foreach ($this->sockets as $pid => $socket) {
                if (in_array($socket, $readable, true)) {
                    $this->hear($pid, $socket);
                }
            }

            if (in_array(STDIN, $readable, true)) {
                $line = fgets(STDIN);
                $line === false ? $this->end() : $this->fork($line);
            }
        }
    }

    /** A process that cannot open a file any more cannot load a class either, and that is not what is tested. */
    private function load(): void
    {
        $source = dirname((string) (new ReflectionClass(Position::class))->getFileName(), 2);

        foreach (['Core', 'Support', 'Sink', 'Spool'] as $room) {
            foreach ((array) glob("{$source}/{$room}{,/*,/*/*}/*.php", GLOB_BRACE) as $path) {
                class_exists('Headroom'.strtr(substr((string) $path, strlen($source), -4), '/', '\\'));
            }
        }

        array_map(class_exists(...), [
            LostConnectionDetector::class,
            QueryException::class,
            TransactionRolledBack::class,
            UniqueConstraintViolationException::class,
        ]);
    }

    private function fork(string $line): void
    {
        /** @var array{world: string, action: string, argument: string, stopped: bool} $order Spawner wrote it */
        $order = json_decode($line, true, 4, JSON_THROW_ON_ERROR);
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $pid = $pair === false ? -1 : pcntl_fork();

        if ($pair === false || $pid < 0) {
            throw new RuntimeException('Cannot fork.');
        }

        if ($pid === 0) {
            $this->sockets = [];
            fclose($pair[0]);
            $this->perform($order, $pair[1]);
        }

        fclose($pair[1]);
        $this->sockets[$pid] = $pair[0];
        $this->said[$pid] = '';

        if ($order['stopped']) {
            pcntl_waitpid($pid, $status, WUNTRACED);
        }

        $this->tell(['forked' => $pid]);
    }

    /**
     * @param array{world: string, action: string, argument: string, stopped: bool} $order
     * @param resource $socket
     */
    private function perform(array $order, $socket): never
    {
        $say = static function (string $kind, string $what) use ($socket): void {
            fwrite($socket, json_encode([$kind, $what], JSON_THROW_ON_ERROR)."\n");
        };

        $world = World::fromJson($order['world']);

        if ($order['stopped']) {
            posix_kill((int) getmypid(), SIGSTOP);
        }

        match ($order['action']) {
            'write' => (new Endless($world))->write($order['argument']),
            'flush' => (new Endless($world))->flush(),
            default => Scenario::from($order['action'])->perform($world, $say),
        };

        exit(0);
    }

    /** @param resource $socket */
    private function hear(int $pid, $socket): void
    {
        $heard = (string) fread($socket, 65_536);
        $this->said[$pid] .= $heard;

        if ($heard === '' && feof($socket)) {
            fclose($socket);
            $status = 0;
            pcntl_waitpid($pid, $status);
            assert(is_int($status));
            $this->tell([
                'ended' => $pid,
                'signal' => pcntl_wifsignaled($status) ? pcntl_wtermsig($status) : 0,
                'code' => pcntl_wifexited($status) ? pcntl_wexitstatus($status) : -1,
                'said' => $this->said[$pid],
            ]);
            unset($this->sockets[$pid], $this->said[$pid]);
        }
    }

    /** The test is gone. */
    private function end(): never
    {
        foreach (array_keys($this->sockets) as $pid) {
            posix_kill($pid, SIGKILL);
        }

        exit(0);
    }

    /** @param array<string, mixed> $news */
    private function tell(array $news): void
    {
        fwrite(STDOUT, json_encode($news, JSON_THROW_ON_ERROR)."\n");
    }
}
