<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\PowerCut;

use Headroom\Tests\Fault\Support\World;
use Headroom\Tests\Support\MissingServer;
use RuntimeException;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * The system calls by which a child process changed the files of its world, in order, and what it told meanwhile.
 */
final readonly class Trace
{
    private const CALLS =
        'openat,close,write,pwrite64,lseek,ftruncate,fsync,fdatasync,rename,link,unlink,mkdir,rmdir,fstat,newfstatat';

    /**
     * @param list<Call> $calls
     * @param Disk $disk as it was before
     * @param array<string, string> $failures what was refused, by step
     */
    private function __construct(private array $calls, private Disk $disk, public array $failures) {}

    /**
     * @param list<string> $steps of Teller
     * @param ?string $inject as strace's -e inject= takes it
     */
    public static function of(World $world, array $steps, ?string $inject = null): self
    {
        $log = "{$world->directory}.strace";
        $script = ['world' => $world->toJson(), 'action' => 'tell', 'arguments' => $steps, 'points' => []];
        $disk = new Disk($world->directory);
        $process = new Process([
            self::strace(), '-f', '-v', '-xx', '-s', '1000000', '-o', $log, '-e', 'trace='.self::CALLS,
            ...($inject === null ? [] : ['-e', "inject={$inject}"]),
            PHP_BINARY, '-d', 'display_errors=stderr', dirname(__DIR__).'/Support/child.php',
            json_encode($script, JSON_THROW_ON_ERROR),
        ], timeout: 60);
        $process->run();
        $lines = file($log, FILE_IGNORE_NEW_LINES);
        unlink($log);

        if (
            $lines === false
            || ! $process->isSuccessful()
            || preg_match('/^done (.*)$/m', $process->getOutput(), $m) !== 1
        ) {
            throw new RuntimeException("The child failed: {$process->getOutput()} {$process->getErrorOutput()}");
        }

        /** @var array{failures: array<string, string>} $result */
        $result = json_decode($m[1], true, 8, JSON_THROW_ON_ERROR);

        return new self(array_values(array_filter(array_map(Call::fromLine(...), $lines))), $disk, $result['failures']);
    }

    /**
     * To be called once.
     *
     * @param callable(Disk, Call, ?string): void $look after each call, with what it did in words
     */
    public function replay(callable $look): void
    {
        foreach ($this->calls as $call) {
            $look($this->disk, $call, $this->disk->apply($call));
        }
    }

    /**
     * @return array<string, list<string>> by step: the operations on files in the bucket's directory or next to it, in
     *     words and in order
     */
    public function words(): array
    {
        $words = [];
        $step = '';

        $this->replay(static function (Disk $disk, Call $call, ?string $word) use (&$words, &$step): void {
            $said = $call->said();

            if ($said !== null && str_starts_with($said, 'begin ')) {
                $step = substr($said, 6);
                $words[$step] ??= [];
            }

            if ($word !== null && $step !== '') {
                $words[$step][] = str_replace('buffer/buckets/', '', $word);
            }
        });

        return $words;
    }

    private static function strace(): string
    {
        $strace = (new ExecutableFinder)->find('strace');

        if ($strace !== null && (new Process([$strace, '-o', '/dev/null', 'true']))->run() === 0) {
            return $strace;
        }

        MissingServer::named(
            'strace',
            'strace is not installed here, or may not trace. Run as root on Debian: bin/services install strace',
        );
    }
}
