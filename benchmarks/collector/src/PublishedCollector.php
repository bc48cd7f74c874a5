<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Process\TemporaryDirectory;
use RuntimeException;
use Symfony\Component\Process\Process;
use Workbench\Rig\Rig;

/**
 * A published collector (collect:publish) behind nginx and FPM, with an API key, in a directory of its own.
 */
final readonly class PublishedCollector
{
    private function __construct(private TemporaryDirectory $directory, private WebStack $stack, public string $key) {}

    public static function start(int $workers, string $durability = 'process'): self
    {
        $directory = TemporaryDirectory::create('lane');
        mkdir($directory->file('public'));
        $config = ['spool' => [
            'path' => $directory->file('spool'),
            'buckets' => ['events' => ['sink' => 'memory', 'durability' => $durability]],
        ]];
        file_put_contents($directory->file('headroom.php'), '<?php return '.var_export($config, true).';');
        self::run($directory, 'collect:publish');
        $key = json_decode(
            self::run($directory, 'collect:key', 'create', 'bench', '--json'),
            true,
            flags: JSON_THROW_ON_ERROR,
        );

        // The web user owns the buffer, as in most deployments.
        if (posix_geteuid() === 0) {
            (new Process(['chown', '-R', Rig::user(), $directory->path]))->mustRun();
        }

        $stack = WebStack::start(new WebConfig(
            $directory->file('public/ingest.php'),
            workers: $workers,
            ini: ['opcache.enable' => true, 'opcache.validate_timestamps' => false],
            user: Rig::user(),
        ));

        return new self($directory, $stack, is_array($key) && is_string($key['key']) ? $key['key'] : '');
    }

    public function url(): string
    {
        return "{$this->stack->url()}/v1/events";
    }

    /** @return int events in the buffer; the server stops after this call */
    public function buffered(): int
    {
        $this->stack->stop();
        $status = json_decode(self::run($this->directory, 'spool:status', '--json'), true, flags: JSON_THROW_ON_ERROR);

        return (int) array_sum(array_column($status['buckets'], 'accepted'));
    }

    public function stop(): void
    {
        $this->stack->stop();
        $this->directory->remove();
    }

    private static function run(TemporaryDirectory $directory, string ...$words): string
    {
        $process = new Process(
            [PHP_BINARY, dirname(__DIR__, 3).'/bin/headroom', ...array_values($words)],
            $directory->path,
            ['PWD' => $directory->path],
            timeout: 120,
        );

        return $process->run() === 0
            ? $process->getOutput()
            : throw new RuntimeException("{$process->getErrorOutput()}{$process->getOutput()}");
    }
}
