<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Process\TemporaryDirectory;
use Illuminate\Filesystem\Filesystem;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * The workbench application on the command line, with a storage directory of its own and new tables.
 */
final readonly class Application
{
    private TemporaryDirectory $directory;

    /** @param array<string, string> $database DB_* variables */
    public function __construct(private array $database)
    {
        $this->directory = TemporaryDirectory::create('bench');
        mkdir($this->path('app'));
        mkdir($this->path('work'));
        $this->run(dirname(__DIR__, 3).'/workbench/artisan', 'migrate:fresh', '--force');
    }

    public function storage(): string
    {
        return $this->path('app');
    }

    /** The directory of its buffer. */
    public function buffer(): string
    {
        return "{$this->storage()}/app/private/buffer";
    }

    public function discardBuffer(): void
    {
        (new Filesystem)->deleteDirectory($this->buffer());
    }

    /** The storage directory, for files of the benchmark. */
    public function work(): string
    {
        return $this->path('work');
    }

    public function run(string ...$command): string
    {
        $process = new Process(
            [PHP_BINARY, ...$command],
            env: ['WORKBENCH_STORAGE' => $this->path('app'), 'BENCH_PEAK' => $this->path('peak'), ...$this->database],
            timeout: 1800,
        );

        if ($process->run() !== 0) {
            throw new RuntimeException(implode(' ', $command).": {$process->getErrorOutput()}{$process->getOutput()}");
        }

        return $process->getOutput();
    }

    /** @return array{output: string, seconds: float, php: int, resident: int} with its peaks of memory in bytes */
    public function measure(string ...$arguments): array
    {
        $start = hrtime(true);
        $output = $this->run(
            '-d',
            'auto_prepend_file='.dirname(__DIR__).'/peak.php',
            dirname(__DIR__, 3).'/workbench/artisan',
            ...$arguments,
        );
        $seconds = (hrtime(true) - $start) / 1e9;
        $peaks = json_decode((string) file_get_contents($this->path('peak')), true, flags: JSON_THROW_ON_ERROR);
        unlink($this->path('peak'));

        return ['output' => $output, 'seconds' => $seconds, ...$peaks];
    }

    public function remove(): void
    {
        $this->directory->remove();
    }

    private function path(string $name): string
    {
        return $this->directory->file($name);
    }
}
