<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Laravel\Sinks\SinkDrivers;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Sink\Memory\MemorySink;
use Headroom\Sink\Sink;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\ConfigReader;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use Illuminate\Config\Repository;
use Illuminate\Container\Container;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;
use stdClass;

/**
 * Sinks that buckets refer to by a name, and drivers that an application adds.
 */
final class SinksSectionTest extends SpoolTestCase
{
    private const PROVIDER = <<<'PHP'
        <?php

        namespace App;

        use Headroom\Laravel\Facades\Buffer;
        use Headroom\Sink\Delivery;
        use Headroom\Sink\Sink;
        use Illuminate\Contracts\Foundation\Application;
        use Illuminate\Support\ServiceProvider;

        final class ArchiveProvider extends ServiceProvider
        {
            public function boot(): void
            {
                Buffer::extend('archive', fn (array $config, string $bucket, Application $app): Sink => new class($config['folder']) implements Sink
                {
                    public function __construct(private string $folder) {}

                    public function deliver(Delivery $delivery): void
                    {
                        file_put_contents($this->folder, str_repeat("x\n", count($delivery->batch)), FILE_APPEND);
                    }
                });
            }
        }
        PHP;

    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->buckets = [];
    }

    #[Test]
    public function a_bucket_has_the_settings_of_the_sink_that_it_names_and_its_own(): void
    {
        $this->spool->settings['sinks'] = [
            'main' => ['driver' => 'database', 'connection' => 'default', 'table' => 'other'],
        ];
        $this->spool->buckets = ['a' => ['sink' => 'main', 'table' => 'api_events', 'batch' => 2]];
        $this->spool->add(3, 'a');
        $flushed = $this->spool->run(FlushCommand::class);

        self::assertSame([0, [3, 2], 3], [$flushed->exit, $flushed->numbers(), $this->spool->count()]);
        self::assertSame([], $this->spool->problems());
    }

    #[Test]
    public function a_sink_may_bear_the_name_of_a_driver(): void
    {
        $this->spool->settings['sinks'] = ['file' => ['driver' => 'memory']];
        $this->spool->buckets = ['a' => ['sink' => 'file']];
        $this->spool->add(1, 'a');
        $this->spool->run(FlushCommand::class);

        self::assertCount(1, $this->spool->container->make(Arrivals::class)->of('a'));
    }

    #[Test]
    public function a_range_that_was_begun_goes_on_when_its_sink_gets_a_name(): void
    {
        $settings = ['url' => 'https://example.com', 'index' => 'a'];
        $sinks = ['s' => ['driver' => 'elasticsearch', ...$settings]];
        $config = SpoolConfig::fromArray(['path' => '/b', 'sinks' => $sinks, 'buckets' => [
            'named' => ['sink' => 's'],
            'inline' => ['sink' => 'elasticsearch', ...$settings],
            'other' => ['sink' => 's', 'index' => 'b'],
        ]]);

        self::assertSame($config->bucket('inline')?->sinkFingerprint(), $config->bucket('named')?->sinkFingerprint());
        self::assertNotSame(
            $config->bucket('inline')?->sinkFingerprint(),
            $config->bucket('other')?->sinkFingerprint(),
        );
    }

    /**
     * @return iterable<string, array{array<string, mixed>, array<string, mixed>, string, list<string>}> sinks, the
     * bucket, the key that is wrong, what is named
     */
    public static function wrong(): iterable
    {
        $sinks = ['warehouse' => ['driver' => 'database'], 'search' => ['driver' => 'elasticsearch']];

        yield 'neither a sink nor a driver' => [
            $sinks,
            ['sink' => 'typo'],
            'buckets.a.sink',
            [
                "'typo'",
                '(warehouse, search)',
                '(database, file, handler, http, elasticsearch, clickhouse, memory, archive)',
            ],
        ];
        yield 'a driver that is none' => [
            ['s' => ['driver' => 'typo']],
            ['sink' => 's'],
            'sinks.s.driver',
            ["'typo'", '(s)'],
        ];
        yield 'a sink without a driver' => [['s' => ['table' => 'a']], ['sink' => 's'], 'sinks.s.driver', []];
        yield 'a sink that is no array' => [['s' => 'database'], ['sink' => 's'], 'sinks.s', ["'database'"]];
        yield 'a wrong setting of the sink' => [
            ['s' => ['driver' => 'file', 'path' => 5]],
            ['sink' => 's'],
            'sinks.s.path',
            ['5'],
        ];
        yield 'an unknown setting of the sink' => [
            ['s' => ['driver' => 'memory', 'size' => 5]],
            ['sink' => 's'],
            'sinks.s.size',
            [],
        ];
        yield 'a wrong setting of the bucket' => [
            ['s' => ['driver' => 'file', 'path' => '/a']],
            ['sink' => 's', 'path' => 5],
            'buckets.a.path',
            ['5'],
        ];
        yield 'a setting of the buffer in a sink' => [
            ['s' => ['driver' => 'memory', 'batch' => 5]],
            ['sink' => 's'],
            'sinks.s.batch',
            [],
        ];
    }

    /**
     * @param array<string, mixed> $sinks
     * @param array<string, mixed> $bucket
     * @param list<string> $named
     */
    #[Test]
    #[DataProvider('wrong')]
    public function a_mistake_is_named_where_it_stands(array $sinks, array $bucket, string $key, array $named): void
    {
        $this->spool->add(1, 'a');
        $this->spool->settings['sinks'] = $sinks;
        $this->spool->buckets = ['a' => $bucket];
        $this->spool->container->instance('config', new Repository(['spool' => ['sinks' => $sinks]]));
        SinkDrivers::of($this->spool->container)->extend('archive', static fn (): null => null);
        $flushed = $this->spool->run(FlushCommand::class);

        self::assertSame(1, $flushed->exit);

        foreach (["spool.{$key} ", ...$named] as $name) {
            self::assertStringContainsString($name, $flushed->err);
        }
    }

    #[Test]
    public function a_driver_of_the_application_gets_settings_bucket_and_application(): void
    {
        $this->spool->settings['sinks'] = ['cold' => ['driver' => 'archive', 'folder' => 'f', 'region' => 'r']];
        $this->spool->buckets = [
            'a' => ['sink' => 'cold', 'folder' => 'own', 'batch' => 5],
            'b' => ['sink' => 'archive'],
        ];
        $seen = [];
        SinkDrivers::of(
            $this->spool->container,
        )->extend('archive', function (array $config, string $bucket, Container $app) use (&$seen): Sink {
            $seen[$bucket] = $config;

            return MemorySink::fromOptions(
                $app->make(Arrivals::class),
                new ConfigReader([], "spool.buckets.{$bucket}"),
            );
        });
        $this->spool->add(1, 'a');
        $this->spool->add(2, 'b');
        $flushed = $this->spool->run(FlushCommand::class);

        self::assertSame(0, $flushed->exit);
        self::assertEquals(['a' => ['folder' => 'own', 'region' => 'r'], 'b' => []], $seen);
        self::assertCount(2, $this->spool->container->make(Arrivals::class)->of('b'));
    }

    #[Test]
    public function a_driver_of_the_application_goes_before_one_of_the_package(): void
    {
        $this->spool->buckets = ['a' => ['sink' => 'file']];
        $this->spool->add(1, 'a');
        SinkDrivers::of($this->spool->container)->extend(
            'file',
            static fn (array $config, string $bucket, Container $app): Sink => MemorySink::fromOptions(
                $app->make(Arrivals::class),
                new ConfigReader([], "spool.buckets.{$bucket}"),
            ),
        );

        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
    }

    #[Test]
    public function a_driver_that_throws_or_returns_no_sink_is_named(): void
    {
        $this->spool->buckets = ['a' => ['sink' => 'archive'], 'b' => ['sink' => 'broken']];
        SinkDrivers::of($this->spool->container)->extend('archive', static fn (): stdClass => new stdClass);
        SinkDrivers::of($this->spool->container)->extend(
            'broken',
            static fn (): Sink => throw new RuntimeException('No such region.'),
        );
        $this->spool->add(1, 'a');
        $this->spool->add(1, 'b');
        $flushed = $this->spool->run(FlushCommand::class);

        self::assertSame(1, $flushed->exit);

        foreach (['spool.buckets.a.sink ', 'returned stdClass', 'spool.buckets.b.sink ', 'No such region.'] as $named) {
            self::assertStringContainsString($named, $flushed->err);
        }
    }

    #[Test]
    public function a_driver_added_by_a_provider_serves_the_cached_configuration_and_a_worker(): void
    {
        $app = ScratchApplication::onThisCheckout();

        try {
            $app->write('app/ArchiveProvider.php', self::PROVIDER);
            $app->write(
                'bootstrap/providers.php',
                "<?php return [Headroom\\Laravel\\HeadroomServiceProvider::class, App\\ArchiveProvider::class];\n",
            );
            $app->write('add.php', <<<'PHP'
                <?php

                require __DIR__.'/bootstrap/autoload.php';
                (require __DIR__.'/bootstrap/app.php')->make(Illuminate\Contracts\Console\Kernel::class)->bootstrap();
                Headroom\Laravel\Facades\Buffer::bucket('a')->addMany([['n' => 1], ['n' => 2]]);
                PHP);
            $sinks = "['cold' => ['driver' => 'archive', 'folder' => storage_path('cold')]]";
            $app->config('spool', "['sinks' => {$sinks}, 'buckets' => ['a' => ['sink' => 'cold']]]");
            self::assertSame(0, $app->artisan('config:cache')->exit);
            self::assertSame(0, $app->run([PHP_BINARY, $app->path('add.php')])->exit);
            self::assertSame(0, $app->artisan('spool:work', '--stop-when-empty')->exit);
            self::assertSame("x\nx\n", $app->read('storage/cold'));
        } finally {
            $app->remove();
        }
    }
}
