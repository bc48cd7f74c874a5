<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Core\Record;
use Headroom\Laravel\Facades\Buffer;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Sink\Rejected;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Store\State\StateRecord;
use Headroom\Tests\Laravel\Support\Handlers\HandlesEach;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Headroom\Tests\Support\Redis\RedisServer;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Schema;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Symfony\Component\Console\Output\BufferedOutput;

/**
 * A workbench with a bucket for each kind of delivery, and the events that it dispatched.
 */
abstract class EventsTestCase extends TestCase
{
    private const BUCKETS = [
        'once' => ['sink' => 'database', 'table' => 'tickets', 'batch' => 2],
        'least' => ['sink' => 'memory', 'batch' => 2],
        'singles' => ['sink' => 'handler', 'handler' => HandlesEach::class, 'batch' => 2, 'tries' => 2],
    ];

    protected ?OnWorkbench $on = null;

    protected ?RedisServer $redis = null;

    /** @var list<object> */
    protected array $heard = [];

    protected function tearDown(): void
    {
        QueuedListener::$do = null;
        $this->on?->shut();
        $this->redis?->stop();
    }

    protected function boot(string $store = 'file'): void
    {
        $this->on = OnWorkbench::with(WorkbenchDatabase::Sqlite, self::buckets($store), ['heartbeats' => false]);
        Schema::create('tickets', static function (Blueprint $table): void {
            $table->id();
            $table->string('title');
        });
        $this->bindHandler();

        $this->redis = $store === 'redis' ? RedisServer::start() : null;
        $this->connectRedis();
    }

    /** As the next process has the application: without the listeners. */
    protected function reboot(string $store): void
    {
        $this->on = $this->on?->again(self::buckets($store), ['heartbeats' => false]);
        $this->bindHandler();
        $this->connectRedis();
    }

    private function connectRedis(): void
    {
        if ($this->redis !== null) {
            $this->configuration()->set(
                'database.redis.default',
                ['host' => '127.0.0.1', 'port' => $this->redis->port, 'timeout' => 5, 'read_timeout' => 5],
            );
        }
    }

    protected function configuration(): Repository
    {
        return $this->on?->workbench->app->make(Repository::class) ?? self::fail();
    }

    /** @return array<string, array<string, mixed>> */
    protected static function buckets(string $store): array
    {
        $buckets = array_map(
            static fn (array $bucket): array => ['store' => $store, ...$bucket],
            self::BUCKETS,
        );

        return ['other' => ['sink' => 'memory'], ...$buckets];
    }

    protected function bindHandler(): void
    {
        $this->on?->workbench->app->bind(
            HandlesEach::class,
            fn (): HandlesEach => self::handler($this->arrivals()),
        );
    }

    /** @param ?Arrivals $arrivals null takes everything */
    protected static function handler(?Arrivals $arrivals): HandlesEach
    {
        return new class($arrivals === null) implements HandlesEach
        {
            public function __construct(private readonly bool $takesAll) {}

            public function handle(Record $event): void
            {
                $title = is_string($event->values['title'] ?? null) ? $event->values['title'] : '';

                if (! $this->takesAll && str_starts_with($title, 'bad')) {
                    throw Rejected::because("It is {$title}.");
                }

                if (! $this->takesAll && str_starts_with($title, 'fails')) {
                    throw new RuntimeException("It {$title}.");
                }

                DB::table('tickets')->insert(['title' => $title]);
            }
        };
    }

    /** @param class-string ...$events */
    protected function hear(string ...$events): void
    {
        Event::listen(array_values($events), function (object $event): void {
            $this->heard[] = $event;
        });
    }

    /**
     * @template TEvent of object
     *
     * @param class-string<TEvent> $class
     * @return list<TEvent>
     */
    protected function heard(string $class): array
    {
        return array_values(array_filter(
            $this->heard,
            static fn (object $event): bool => $event instanceof $class,
        ));
    }

    protected function add(int $count, string $bucket, string $title = 'event '): void
    {
        for ($i = 0; $i < $count; $i++) {
            Buffer::bucket($bucket)->add(['title' => $title.$i]);
        }
    }

    /**
     * @param array<string, mixed> $options
     * @return array<mixed> what --json says of the bucket
     */
    protected function flush(string $bucket, int $exit = 0, array $options = []): array
    {
        $said = json_decode(
            $this->artisan('spool:flush', ['bucket' => $bucket, '--json' => true, ...$options], $exit),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        $report = is_array($said) && is_array($said['buckets'] ?? null) ? $said['buckets'][0] ?? null : null;

        return is_array($report) ? $report : self::fail('There is no report.');
    }

    protected function work(int $exit = 0): void
    {
        $this->artisan(
            'spool:work',
            [
                'bucket' => ['once', 'least', 'singles'],
                '--stop-when-empty' => true,
                '--sleep' => '0',
                '--memory' => '4096',
            ],
            $exit,
        );
    }

    /** @param array<string, mixed> $parameters */
    protected function artisan(string $command, array $parameters = [], int $exit = 0): string
    {
        // A listener that runs a command changes what Artisan::output() returns.
        $output = new BufferedOutput;
        self::assertSame($exit, Artisan::call($command, $parameters, $output), $command);

        return $output->fetch();
    }

    protected function log(): string
    {
        return $this->on?->workbench->log() ?? self::fail();
    }

    protected function spool(): SpoolServices
    {
        return $this->on?->workbench->app->make(SpoolServices::class) ?? self::fail();
    }

    protected function arrivals(): Arrivals
    {
        return $this->on?->workbench->app->make(Arrivals::class) ?? self::fail();
    }

    protected function arrived(string $bucket): int
    {
        return $bucket === 'least' ? count($this->arrivals()->idsOf('least')) : DB::table('tickets')->count();
    }

    protected function pending(string $bucket): int
    {
        return $this->on?->pending()[$bucket] ?? 0;
    }

    /** The saved cursor of the bucket, read as another process would read it. */
    protected function cursor(string $bucket): string
    {
        if ($this->redis !== null) {
            $record = $this->redis->ask('HGET', "workbench_{spool:{$bucket}}:state", 'record');

            return StateRecord::fromJson(is_string($record) ? $record : '', 'state')
                ->flush->progress->position->toString();
        }

        $store = $this->spool()->store();

        return (new StateFile($store->layout($bucket)->stateFile, $store->permissions))
            ->read()->flush->progress->position->toString();
    }
}
