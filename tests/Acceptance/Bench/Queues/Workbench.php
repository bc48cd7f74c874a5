<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Bench\Queues\Results\Findings;
use Headroom\Benchmarks\Report\Figures;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Headroom\Tests\Support\MissingServer;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * The workbench on the command line, with storage of its own and the servers of bin/services.
 */
final readonly class Workbench
{
    private TemporaryDirectory $storage;

    /** @param array<string, string> $env */
    public function __construct(private array $env = [])
    {
        $this->storage = TemporaryDirectory::create('bench-queues');
    }

    /** @param array<string, string> $env */
    public static function on(WorkbenchDatabase $database, array $env = []): self
    {
        return new self([
            ...$database->environment(),
            ...self::server('redis', 'REDIS'),
            ...self::server('beanstalkd', 'BEANSTALKD_QUEUE'),
            ...$env,
        ]);
    }

    /** @return array<string, string> */
    public function env(): array
    {
        return [
            'APP_ENV' => 'local',
            'DB_CONNECTION' => 'sqlite',
            'WORKBENCH_STORAGE' => $this->storage->path,
            ...$this->env,
        ];
    }

    /** Not started. */
    public function process(string ...$arguments): Process
    {
        return new Process(
            [PHP_BINARY, dirname(__DIR__, 4).'/workbench/artisan', ...array_values($arguments)],
            env: $this->env(),
            timeout: 300,
        );
    }

    public function artisan(string ...$arguments): Process
    {
        $process = $this->process(...$arguments);
        $process->run();

        return $process;
    }

    /** @return array{int, array<string, Findings>} exit code, and what was found by scenario */
    public function bench(string ...$options): array
    {
        $process = $this->artisan('headroom:bench:queues', '--json', ...array_values($options));
        $document = json_decode($process->getOutput(), true);
        $scenarios = is_array($document) ? $document['scenarios'] ?? null : null;
        Assert::assertIsArray($scenarios, $process->getErrorOutput().$process->getOutput());
        Schema::assertMatches($process->getOutput());
        $findings = [];

        foreach ($scenarios as $scenario => $found) {
            $findings[(string) $scenario] = ReadFindings::of(Figures::of('headroom:bench:queues --json', $found));
        }

        return [(int) $process->getExitCode(), $findings];
    }

    public function path(string $file): string
    {
        return $this->storage->file($file);
    }

    public function remove(): void
    {
        $this->storage->remove();
    }

    /** @return array<string, string> none when it does not run; the test then says which one it needs */
    private static function server(string $name, string $prefix): array
    {
        $port = getenv('HEADROOM_'.strtoupper($name).'_PORT');

        return $port === false ? self::miss($name) : ["{$prefix}_HOST" => '127.0.0.1', "{$prefix}_PORT" => $port];
    }

    private static function miss(string $server): never
    {
        MissingServer::named($server, "{$server} is not running: bin/services run {$server} -- ...");
    }
}
