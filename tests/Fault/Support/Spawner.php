<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use RuntimeException;

/**
 * Starts processes of a fault test by forking a warm one: a millisecond each, where PHP with all classes takes a
 * hundred. A fork has nothing of the buffer open that another one has.
 */
final class Spawner
{
    private const PATIENCE_SECONDS = 60;

    private string $heard = '';

    /** @var array<int, Ending> endings of forks that no test has asked for yet */
    private array $endings = [];

    /**
     * @param resource $process
     * @param resource $input
     * @param resource $output
     */
    private function __construct(private $process, private $input, private $output) {}

    public static function start(): self
    {
        $process = proc_open(
            [PHP_BINARY, '-d', 'display_errors=stderr', '-d', 'memory_limit=512M', __DIR__.'/spawner.php'],
            [['pipe', 'r'], ['pipe', 'w'], STDERR],
            $pipes,
        );

        if ($process === false) {
            throw new RuntimeException('No process could be started.');
        }

        $spawner = new self($process, $pipes[0], $pipes[1]);
        $spawner->await('ready');

        return $spawner;
    }

    /**
     * @param string $action "write", "flush", or a Scenario's value
     * @param bool $stopped it stands before the action, until it gets a SIGCONT
     * @return int its pid
     */
    public function fork(World $world, string $action, string $argument = '', bool $stopped = false): int
    {
        fwrite(
            $this->input,
            json_encode(
                ['world' => $world->toJson(), 'action' => $action, 'argument' => $argument, 'stopped' => $stopped],
                JSON_THROW_ON_ERROR,
            )
                ."\n",
        );
        $pid = $this->await('forked')['forked'] ?? null;

        return is_int($pid) ? $pid : throw new RuntimeException('There is no fork.');
    }

    public function awaitEnd(int $pid): Ending
    {
        while (! isset($this->endings[$pid])) {
            $this->await('ended');
        }

        $ending = $this->endings[$pid];
        unset($this->endings[$pid]);

        return $ending;
    }

    public function kill(int $pid): Ending
    {
        posix_kill($pid, SIGKILL);

        return $this->awaitEnd($pid);
    }

    /** Ends what is still running. */
    public function stop(): void
    {
        if (is_resource($this->input)) {
            fclose($this->input);
            // Its end of the pipe closes when it and all its forks are gone.
            stream_get_contents($this->output);
            fclose($this->output);
            proc_close($this->process);
        }
    }

    /** @return array<string, mixed> the next news of that kind */
    private function await(string $kind): array
    {
        while (true) {
            $end = strpos($this->heard, "\n");

            if ($end === false) {
                $this->hear($kind);

                continue;
            }

            /** @var array<string, mixed> $news Forks told it */
            $news = json_decode(substr($this->heard, 0, $end), true, 4, JSON_THROW_ON_ERROR);
            $this->heard = substr($this->heard, $end + 1);

            if (isset($news['ended'])) {
                $ending = Ending::fromNews($news);
                $this->endings[$ending->pid] = $ending;
            }

            if (array_key_exists($kind, $news)) {
                return $news;
            }
        }
    }

    private function hear(string $kind): void
    {
        $readable = [$this->output];
        [$none, $nor] = [null, null];
        $ready = stream_select($readable, $none, $nor, self::PATIENCE_SECONDS);
        $heard = $ready === 1 ? (string) fread($this->output, 65_536) : '';

        if ($heard === '') {
            throw new RuntimeException(
                "The forking process never told '{$kind}'. ".($ready === 1 ? 'It ended.' : 'It is still running.'),
            );
        }

        $this->heard .= $heard;
    }
}
