<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Queues;

use Closure;
use Headroom\Bench\Interrupted;
use Headroom\Process\ParentDeathSignal;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use RuntimeException;
use Symfony\Component\Process\InputStream;
use Symfony\Component\Process\Process;
use Throwable;

/**
 * The workbench application on the command line, with a storage directory of its own.
 */
final readonly class Artisan
{
    private TemporaryDirectory $storage;

    /** @param array<string, string> $env of its servers */
    public function __construct(private array $env = [])
    {
        $this->storage = TemporaryDirectory::create('queues');
    }

    /** The command's messages go to stderr as well. */
    public function run(string ...$arguments): string
    {
        return $this->output([PHP_BINARY, self::path(), ...array_values($arguments)]);
    }

    /** @return array<string, mixed> JSON that a command prints, if it succeeds or not */
    public function json(string ...$arguments): array
    {
        $process = $this->process([PHP_BINARY, self::path(), ...array_values($arguments), '--json']);
        $this->ran($process, static function (string $type, string $text): void {
            $type === Process::ERR && fwrite(STDERR, $text);
        });
        $document = json_decode($process->getOutput(), true);

        return is_array($document) && ! isset($document['error'])
            ? $document
            : throw new RuntimeException(
                'artisan '.implode(' ', $arguments).": {$process->getErrorOutput()}{$process->getOutput()}",
            );
    }

    /** @param non-empty-list<string> $command */
    public function output(array $command): string
    {
        $process = $this->process($command);

        return $this->ran($process) === 0
            ? $process->getOutput()
            : throw new RuntimeException(
                implode(' ', $command).": {$process->getErrorOutput()}{$process->getOutput()}",
            );
    }

    /**
     * @param non-empty-list<string> $command that prints a line, waits for one, and prints more
     * @param Closure(): void $between
     * @return string output after its first line
     */
    public function inTwoSteps(array $command, Closure $between): string
    {
        $input = new InputStream;
        $process = $this->process($command)->setInput($input);
        $isWaiting = false;
        $code = $this->ran($process, static function (
            string $type,
            string $text,
        ) use ($input, $between, &$isWaiting): void {
            if ($type === Process::OUT && ! $isWaiting) {
                $isWaiting = true;
                $between();
                $input->write("\n");
                $input->close();
            }
        });

        return $code === 0
            ? explode("\n", $process->getOutput(), 2)[1] ?? ''
            : throw new RuntimeException(
                implode(' ', $command).": {$process->getErrorOutput()}{$process->getOutput()}",
            );
    }

    /** @return array<string, string> environment of its processes */
    public function env(): array
    {
        return ['WORKBENCH_STORAGE' => $this->storage->path, ...$this->env];
    }

    public function log(int $worker): string
    {
        return $this->storage->file("worker-{$worker}.log");
    }

    public static function path(): string
    {
        return dirname(__DIR__, 3).'/workbench/artisan';
    }

    public function remove(): void
    {
        $this->storage->remove();
    }

    /**
     * @param ?Closure(string, string): void $hear
     * @return int exit code
     */
    private function ran(Process $process, ?Closure $hear = null): int
    {
        try {
            return $process->run($hear);
        } catch (Throwable $e) {
            if ($process->isRunning()) {
                // It has workers, servers and jobs of its own: it gets a signal and time to remove them.
                $process->signal(Interrupted::within($e)->signal ?? Signal::Terminate->value);
                $process->wait($hear);
            }

            throw $e;
        }
    }

    /** @param non-empty-list<string> $command that gets a signal as well when this process is killed */
    private function process(array $command): Process
    {
        return new Process(ParentDeathSignal::around($command, Signal::Terminate), env: $this->env(), timeout: null);
    }
}
