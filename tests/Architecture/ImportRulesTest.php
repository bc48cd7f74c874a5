<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPat\Test\Attributes\TestRule;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use ReflectionClass;

/**
 * Plants classes that break the import rules, and some that keep them, in a directory of its own and lets one run of
 * PHPStan judge them all.
 */
final class ImportRulesTest extends TestCase
{
    /** Rule, the class that imports, the class it imports. */
    private const BREACHES = [
        ['core', 'Core\A', 'Sink\Sink'],
        ['core', 'Core\B', 'Illuminate\Support\Str'],
        ['core', 'Core\C', 'Symfony\Component\Process\Process'],
        ['support', 'Support\A', 'Sink\Sink'],
        ['process', 'Process\A', 'Spool\Buffer'],
        ['process', 'Process\Supervision\A', 'Symfony\Component\Console\Output\OutputInterface'],
        ['charts', 'Charts\A', 'Sink\Database\DatabaseSink'],
        ['benchLaravel.Drivers', 'Bench\Queues\Drivers\A', 'Spool\Buffer'],
        ['benchLaravel.Worker', 'Bench\Queues\Worker\A', 'Sink\Sink'],
        ['benchServers', 'Bench\Servers\A', 'Bench\Machine'],
        ['illuminate', 'Bench\Queues\A', 'Illuminate\Support\Str'],
        ['host', 'Host\A', 'Load\Plan'],
        ['host', 'Host\Fpm\A', 'Symfony\Component\Console\Command\Command'],
        ['sinkDoor', 'Sink\A', 'Sink\Database\DatabaseSink'],
        ['sinkDoor', 'Sink\B', 'Spool\Buffer'],
        ['sinkAdapter.Callback', 'Sink\Callback\A', 'Sink\Memory\MemorySink'],
        ['sinkAdapter.ClickHouse', 'Sink\ClickHouse\A', 'Sink\Http\HttpSink'],
        ['sinkAdapter.Database', 'Sink\Database\A', 'Sink\File\FileSink'],
        ['sinkAdapter.Database', 'Sink\Database\B', 'Illuminate\Support\Str'],
        ['sinkAdapter.Elasticsearch', 'Sink\Elasticsearch\A', 'GuzzleHttp\Client'],
        ['sinkAdapter.File', 'Sink\File\A', 'Illuminate\Database\Connection'],
        ['sinkAdapter.Http', 'Sink\Http\A', 'GuzzleHttp\Client'],
        ['sinkAdapter.Memory', 'Sink\Memory\A', 'Spool\Buffer'],
        ['sinkHttpClient', 'Sink\HttpClient\A', 'Sink\Http\HttpSink'],
        ['sinkFolders', 'Sink\Kafka\A', null],
        ['spool', 'Spool\A', 'Sink\Database\DatabaseSink'],
        ['spool', 'Spool\FileStore\A', 'Redis'],
        ['spool', 'Spool\FileStore\B', 'Cron\CronExpression'],
        ['spool', 'Spool\Delivery\A', 'Console\Spool\FlushCommand'],
        ['spool', 'Spool\Delivery\A', 'Process\Supervision\ShutdownSignal'],
        ['spoolWorker', 'Spool\Worker\A', 'Console\Spool\WorkerConsole'],
        ['spoolCron', 'Spool\Cron', 'Redis'],
        ['spoolRedis', 'Spool\RedisStore\Client\A', 'Illuminate\Redis\RedisManager'],
        ['collector', 'Collector\A', 'Spool\FileStore\FileStore'],
        ['http', 'Http\A', 'Collector\Request'],
        ['http', 'Http\B', 'React\Socket\ConnectionInterface'],
        ['collector', 'Collector\Sapi\A', 'React\Socket\ConnectionInterface'],
        ['collector', 'Collector\Ingest\A', 'JsonSchema\Validator'],
        ['collectorServer', 'Collector\Server\A', 'Sink\Sink'],
        ['collectorSchema', 'Collector\Ingest\Schema\A', 'React\EventLoop\Loop'],
        ['collectorDoor', 'Collector\B', 'Collector\Ingest\Batch'],
        ['collectorIngest', 'Collector\Ingest\B', 'Collector\Server\Worker'],
        ['collectorServerArrows', 'Collector\Server\B', 'Collector\Sapi\SapiIngest'],
        ['report', 'Report\A', 'Load\Plan'],
        ['load', 'Load\A', 'Spool\Buffer'],
        ['doctor', 'Doctor\A', 'Preload\Script'],
        ['doctor', 'Doctor\Redis\A', 'Redis'],
        ['preload', 'Preload\A', 'Load\Plan'],
        ['bench', 'Bench\A', 'Spool\FileStore\FileStore'],
        ['testing', 'Testing\A', 'Sink\Database\DatabaseSink'],
        ['testing', 'Testing\B', 'Laravel\HeadroomServiceProvider'],
        ['console', 'Console\A', 'Laravel\HeadroomServiceProvider'],
        ['laravel', 'Laravel\A', 'GuzzleHttp\Client'],
        ['illuminate', 'Doctor\B', 'Illuminate\Support\Str'],
        ['react', 'Laravel\B', 'React\EventLoop\Loop'],
        ['adaptersAreNamedInCompositionRoots', 'Laravel\Console\A', 'Sink\Database\DatabaseSink'],
        ['adaptersAreNamedInCompositionRoots', 'Console\B', 'Sink\File\FileSink'],
        ['rooms', 'Metrics\A', null],
    ];

    /** The class that imports, the class it imports. */
    private const ALLOWED = [
        ['Core\Kept', 'Psr\Clock\ClockInterface'],
        ['Core\KeptToo', 'DateTimeImmutable'],
        ['Host\Kept', 'Symfony\Component\Process\Process'],
        ['Sink\Kept', 'Core\Batch'],
        ['Sink\Database\Kept', 'Illuminate\Database\Connection'],
        ['Sink\Http\Kept', 'Sink\HttpClient\HttpClient'],
        ['Sink\HttpClient\Kept', 'GuzzleHttp\Client'],
        ['Spool\Kept', 'Sink\SinkFactory'],
        ['Spool\RedisStore\Client\Kept', 'Redis'],
        ['Collector\Kept', 'Spool\Buffer'],
        ['Collector\KeptToo', 'Http\RequestParser'],
        ['Load\Kept', 'Http\ResponseParser'],
        ['Collector\Server\Kept', 'React\EventLoop\Loop'],
        ['Collector\Ingest\Schema\Kept', 'JsonSchema\Validator'],
        ['Doctor\Fpm\Kept', 'Symfony\Component\Process\Process'],
        ['Bench\Kept', 'Preload\Script'],
        ['Testing\Kept', 'Spool\Buffer'],
        ['Testing\KeptToo', 'PHPUnit\Framework\TestCase'],
        ['Console\Kept', 'Spool\Delivery\Flusher'],
        ['Console\Standalone\Bootstrap', 'Sink\File\FileSink'],
        ['Laravel\Kept', 'Console\Spool\FlushCommand'],
        ['Laravel\HeadroomServiceProvider', 'Sink\Database\DatabaseSink'],
    ];

    /** The ways to import; %s is the imported class. */
    private const FORMS = [
        'property' => 'public ?\%s $it = null;',
        'parameter' => 'public function it(\%s $it): void {}',
        'return type' => 'public function it(): ?\%s { return null; }',
        'new' => 'public function it(): object { return new \%s; }',
        'static call' => 'public function it(): mixed { return \%s::make(); }',
        'class name' => 'public function it(): string { return \%s::class; }',
        'instanceof' => 'public function it(object $it): bool { return $it instanceof \%s; }',
        'catch' => 'public function it(): void { try { strlen(""); } catch (\%s) { } }',
        'closure' => 'public function it(): object { return fn (\%s $it) => $it; }',
    ];

    private static ?PlantedClasses $planted = null;

    public static function setUpBeforeClass(): void
    {
        $planted = new PlantedClasses;

        foreach (self::BREACHES as [, $class, $import]) {
            $planted->plant($class, $import);
        }

        foreach (self::ALLOWED as [$class, $import]) {
            $planted->plant($class, $import);
        }

        foreach (array_values(self::FORMS) as $number => $form) {
            $planted->plant("Core\\Form{$number}", 'Spool\Entry', $form);
        }

        $planted->analyse();
        self::$planted = $planted;
    }

    public static function tearDownAfterClass(): void
    {
        self::$planted?->remove();
        self::$planted = null;
    }

    /** @return iterable<string, array{string, string}> */
    public static function breaches(): iterable
    {
        foreach (self::BREACHES as [$rule, $class, $import]) {
            yield "{$rule}: {$class} -> {$import}" => [$rule, $class];
        }
    }

    #[Test]
    #[DataProvider('breaches')]
    public function a_breach_is_refused_by_its_rule(string $rule, string $class): void
    {
        self::assertContains('phpat.'.$rule, $this->rulesBrokenBy($class));
    }

    /** @return iterable<string, array{string}> */
    public static function allowed(): iterable
    {
        foreach (self::ALLOWED as [$class, $import]) {
            yield "{$class} -> {$import}" => [$class];
        }
    }

    #[Test]
    #[DataProvider('allowed')]
    public function an_allowed_import_passes(string $class): void
    {
        self::assertSame([], $this->rulesBrokenBy($class));
    }

    /** @return iterable<string, array{string}> */
    public static function forms(): iterable
    {
        foreach (array_keys(self::FORMS) as $number => $form) {
            yield $form => ["Core\\Form{$number}"];
        }
    }

    #[Test]
    #[DataProvider('forms')]
    public function every_form_of_import_counts(string $class): void
    {
        self::assertSame(['phpat.core'], $this->rulesBrokenBy($class));
    }

    #[Test]
    public function every_rule_is_broken_by_some_planted_class(): void
    {
        $broken = array_map(
            static fn (array $breach): string => strtolower(explode('.', $breach[0])[0]),
            self::BREACHES,
        );
        $rules = [];

        foreach ((new ReflectionClass(ImportRules::class))->getMethods() as $method) {
            if ($method->getAttributes(TestRule::class) !== []) {
                $rules[] = str_replace('_', '', $method->getName());
            }
        }

        self::assertEqualsCanonicalizing($rules, array_values(array_unique($broken)));
    }

    /** @return list<string> */
    private function rulesBrokenBy(string $class): array
    {
        self::assertNotNull(self::$planted);

        return self::$planted->rulesBrokenBy($class);
    }
}
