<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Closure;
use DateTimeImmutable;
use DateTimeZone;
use Headroom\Laravel\Eloquent\ModelBuckets;
use Headroom\Spool\InvalidEvent;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Laravel\Support\Models\Rank;
use Headroom\Tests\Laravel\Support\Models\Sample;
use Headroom\Tests\Laravel\Support\Models\Shade;
use Headroom\Tests\Laravel\Support\Models\Ticket;
use Headroom\Tests\Laravel\Support\Models\Visit;
use Headroom\Tests\Laravel\Support\OnWorkbench;
use Headroom\Tests\Support\Sentence;
use Illuminate\Database\Eloquent\MassAssignmentException;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Carbon;
use Illuminate\Support\Facades\Date;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Hash;
use Illuminate\Support\Facades\Schema;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class ModelBufferTest extends TestCase
{
    private const BUCKETS = [
        'samples' => ['sink' => 'database', 'table' => 'samples'],
        'web-visits' => ['sink' => 'database', 'table' => 'visits'],
        'tickets' => ['sink' => 'database', 'table' => 'tickets'],
    ];

    private ?OnWorkbench $on = null;

    protected function tearDown(): void
    {
        Date::setTestNow();
        Model::preventSilentlyDiscardingAttributes(false);
        $this->on?->shut();
        $this->on = null;
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_buffered_row_equals_the_row_that_create_writes_for_every_cast(WorkbenchDatabase $database): void
    {
        $this->on($database);
        Date::setTestNow(Carbon::parse('2026-03-29 01:30:00.654321', 'UTC'));

        foreach (self::values() as $kind => $values) {
            Sample::query()->create(['kind' => "{$kind}, created", ...$values]);
            Sample::buffer(['kind' => "{$kind}, buffered", ...$values]);
        }

        self::assertSame(count(self::values()), DB::table('samples')->count());
        Date::setTestNow(Carbon::parse('2027-01-01'));
        $this->flush('samples');

        foreach (array_keys(self::values()) as $kind) {
            $created = $this->row('samples', "{$kind}, created");
            $buffered = $this->row('samples', "{$kind}, buffered");

            self::assertSame($this->plain($created), $this->plain($buffered), $kind);
            $this->assertSameSecrets($created, $buffered);
        }
    }

    #[Test]
    public function a_changed_cast_object_is_buffered_with_its_change(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        $model = new Sample(['kind' => 'changed', 'array_object' => ['a' => 1]]);
        $model->arrayObject()?->offsetSet('b', 2);

        self::assertSame($model, Sample::buffer($model));
        $this->flush('samples');
        self::assertSame('{"a":1,"b":2}', $this->row('samples', 'changed')['array_object']);
    }

    #[Test]
    public function keys_and_timestamps_are_made_at_buffering_and_auto_increments_at_the_flush(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        Date::setTestNow('2026-01-02 03:04:05');
        $visit = Visit::buffer(['path' => '/a']);
        $ticket = Ticket::buffer(['title' => 't']);
        $sample = Sample::buffer(['kind' => 'k']);
        Date::setTestNow('2026-02-02 00:00:00');
        $this->flush('web-visits');
        $this->flush('tickets');
        $this->flush('samples');

        self::assertNotNull($visit);
        self::assertFalse($visit->exists);
        self::assertSame(
            ['id' => $visit->getKey(), 'path' => '/a', 'begun_at' => '2026-01-02 03:04:05'],
            (array) DB::table('visits')->first(),
        );
        self::assertSame(['id' => $ticket?->getKey(), 'title' => 't'], (array) DB::table('tickets')->first());
        self::assertNull($sample?->getKey());
        self::assertSame(1, $this->row('samples', 'k')['id']);
        self::assertSame(
            ['2026-01-02 03:04:05', '2026-01-02 03:04:05'],
            [$this->row('samples', 'k')['created_at'], $this->row('samples', 'k')['updated_at']],
        );
    }

    #[Test]
    public function mass_assignment_is_that_of_create(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        Visit::buffer(['path' => '/a', 'id' => 'forged']);
        Sample::buffer(['kind' => 'guarded', 'guarded' => 'by the caller']);
        Sample::unguarded(fn () => Sample::buffer(['kind' => 'unguarded', 'guarded' => 'by the caller']));
        Model::preventSilentlyDiscardingAttributes();

        try {
            Visit::buffer(['path' => '/b', 'admin' => true]);
            self::fail('It was taken.');
        } catch (MassAssignmentException $e) {
            self::assertStringContainsString('admin', $e->getMessage());
        }

        $this->flush('web-visits');
        $this->flush('samples');
        self::assertSame(['/a'], DB::table('visits')->pluck('path')->all());
        self::assertNotSame('forged', DB::table('visits')->value('id'));
        self::assertSame('of the table', $this->row('samples', 'guarded')['guarded']);
        self::assertSame('by the caller', $this->row('samples', 'unguarded')['guarded']);
    }

    #[Test]
    public function saving_and_creating_fire_and_may_cancel_and_created_and_saved_do_not_fire(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        $fired = [];

        foreach (['saving', 'creating', 'created', 'saved'] as $event) {
            Event::listen("eloquent.{$event}: ".Ticket::class, function (Ticket $ticket) use ($event, &$fired): ?bool {
                $fired[] = $event;
                $title = $ticket->getAttribute('title');
                self::assertIsString($title);
                $ticket->setAttribute('title', "{$title}!");

                return rtrim($title, '!') === "cancel me at {$event}" ? false : null;
            });
        }

        self::assertNotNull(Ticket::buffer(['title' => 'a']));
        self::assertSame(['saving', 'creating'], $fired);
        self::assertNull(Ticket::buffer(['title' => 'cancel me at saving']));
        self::assertNull(Ticket::buffer(['title' => 'cancel me at creating']));
        self::assertCount(1, Ticket::bufferMany([['title' => 'cancel me at saving'], ['title' => 'b']]));
        self::assertSame([], Ticket::bufferMany([['title' => 'cancel me at saving']]));
        Ticket::withoutEvents(fn () => Ticket::buffer(['title' => 'c']));
        $this->flush('tickets');
        self::assertSame(['a!!', 'b!!', 'c'], DB::table('tickets')->orderBy('title')->pluck('title')->all());
    }

    #[Test]
    public function many_are_one_write_all_or_nothing(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        $titles = (function () {
            foreach (['a', 'b', 'c'] as $title) {
                yield ['title' => $title];
            }
        })();

        self::assertCount(3, Ticket::bufferMany($titles));
        self::assertSame([], Ticket::bufferMany([]));

        try {
            Ticket::bufferMany([['title' => 'd'], ['title' => NAN]]);
            self::fail('It was taken.');
        } catch (InvalidEvent $e) {
            self::assertSame('title', $e->path);
        }

        $this->flush('tickets');
        self::assertSame(['a', 'b', 'c'], DB::table('tickets')->orderBy('title')->pluck('title')->all());
    }

    #[Test]
    public function a_model_that_exists_is_refused(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        $ticket = new Ticket(['title' => 'a']);
        $ticket->save();

        $this->expectExceptionObject(InvalidEvent::alreadyThere(Ticket::class));
        Ticket::buffer($ticket);
    }

    #[Test]
    public function a_bucket_whose_rows_would_arrive_elsewhere_is_refused_by_name(): void
    {
        $on = $this->on(WorkbenchDatabase::Sqlite, [
            'tickets' => ['sink' => 'database', 'table' => 'others'],
            'web-visits' => ['sink' => 'database', 'table' => 'visits', 'connection' => 'other'],
            'samples' => [],
        ]);

        $table = self::refusal(fn () => Ticket::buffer(['title' => 'a']));
        self::assertSame('spool.buckets.tickets.table', $table->key);
        Sentence::assertNames([$table->key, "'others'", "'tickets'", Ticket::class], $table->getMessage());
        $connection = self::refusal(fn () => Visit::buffer(['path' => '/']));
        self::assertSame('spool.buckets.web-visits.connection', $connection->key);
        Sentence::assertNames([$connection->key, "'other'", "'sqlite'", Visit::class], $connection->getMessage());
        self::assertSame([], $on->pending());

        Sample::buffer(['kind' => 'of a bucket without a sink']);
        self::assertSame(['samples' => 1], $on->pending());
    }

    #[Test]
    #[TestWith(['page_views', 'page_views'])]
    #[TestWith(['PageViews', 'pageviews'])]
    #[TestWith(['crm.contacts', 'crm.contacts'])]
    #[TestWith(['_private', 'private'])]
    #[TestWith(['größe', 'gr----e'])]
    public function a_bucket_is_named_after_the_table(string $table, string $bucket): void
    {
        self::assertSame($bucket, ModelBuckets::nameOf($table));
    }

    #[Test]
    public function names_that_are_too_long_stay_apart(): void
    {
        [$one, $other] = [ModelBuckets::nameOf(str_repeat('a', 70).'1'), ModelBuckets::nameOf(str_repeat('a', 70).'2')];

        self::assertSame([64, 64], [strlen($one), strlen($other)]);
        self::assertNotSame($one, $other);
    }

    /** @param array<string, mixed> $buckets */
    private function on(WorkbenchDatabase $database, array $buckets = self::BUCKETS): OnWorkbench
    {
        $this->on = $on = OnWorkbench::with($database, $buckets);

        foreach (['samples', 'visits', 'tickets'] as $table) {
            Schema::dropIfExists($table);
        }

        Schema::create('samples', Sample::columns(...));
        Schema::create('visits', static function (Blueprint $table): void {
            $table->uuid('id')->primary();
            $table->string('path');
            $table->dateTime('begun_at');
        });
        Schema::create('tickets', static function (Blueprint $table): void {
            $table->ulid('id')->primary();
            $table->string('title');
        });

        return $on;
    }

    private function flush(string $bucket): void
    {
        $this->on?->workbench->artisan('spool:flush', ['bucket' => $bucket]);
    }

    /** @return array<string, array<string, mixed>> */
    private static function values(): array
    {
        $zone = new DateTimeZone('America/New_York');

        return [
            'nothing' => [],
            'null' => array_fill_keys(
                [
                    'integer', 'array', 'shade', 'date', 'datetime', 'encrypted', 'boolean', 'collection', 'nothing',
                    'by_default_json',
                ],
                null,
            ),
            'numbers' => [
                'integer' => '42',
                'real' => '1.5',
                'double' => 0.1,
                'decimal' => '12.3456',
                'boolean' => true,
                'rank' => Rank::Second,
                'timestamp' => 1_770_000_000,
                'point' => [3, -4],
            ],
            'falsehood' => [
                'boolean' => false,
                'integer' => 0,
                'real' => 0.0,
                'string' => '',
                'array' => [],
                'object' => [],
            ],
            'texts' => [
                'string' => 'Grüße "\\ \'x',
                'stringable' => 'abc',
                'shade' => Shade::Dark,
                'mutated' => 'abc',
                'mutated_as_of_old' => 'abc',
                'loose' => 12,
            ],
            'structures' => [
                'array' => ['ü' => ['b' => null, 'c' => 1.0, 'd' => '/']], 'json' => [1, 2], 'json_unicode' => ['ü'],
                'object' => ['a' => ['b' => 1]], 'collection' => collect(['a' => 1]),
                'array_object' => ['x' => 1], 'as_collection' => ['y' => [2]], 'shades' => [Shade::Light, Shade::Dark],
                'by_default_json' => '{"b":2}',
            ],
            'dates' => [
                'date' => '2026-07-01 23:30:00',
                'immutable_date' => new DateTimeImmutable('2026-07-01 23:30:00', $zone),
                'datetime' => new DateTimeImmutable('2026-07-01 23:30:00.123456', $zone),
                'datetime_format' => '2026-07-01 10:00:00',
                'immutable_datetime' => Carbon::parse('2026-07-01 10:00:00', 'Asia/Tokyo'),
                'immutable_datetime_format' => '2026-07-01 10:00:00',
                'uncast_date' => new DateTimeImmutable('2026-07-01 23:30:00', $zone),
            ],
            'secrets' => [
                'encrypted' => 'secret',
                'encrypted_array' => ['a' => 'secret'],
                'encrypted_object' => ['a' => 'secret'],
                'encrypted_collection' => ['secret'],
                'hashed' => 'secret',
            ],
        ];
    }

    /** @return array<string, mixed> */
    private function row(string $table, string $kind): array
    {
        $row = DB::table($table)->where('kind', $kind)->first();
        self::assertNotNull($row, "No row {$kind}.");

        /** @var array<string, mixed> */
        return (array) $row;
    }

    /**
     * @param array<string, mixed> $row
     * @return array<string, mixed> what is the same each time
     */
    private function plain(array $row): array
    {
        $secret = ['encrypted', 'encrypted_array', 'encrypted_object', 'encrypted_collection', 'hashed'];

        return array_diff_key($row, array_flip(['id', 'kind', ...$secret]));
    }

    /**
     * @param array<string, mixed> $created
     * @param array<string, mixed> $buffered
     */
    private function assertSameSecrets(array $created, array $buffered): void
    {
        $secrets = ['encrypted', 'encrypted_array', 'encrypted_object', 'encrypted_collection'];
        self::assertEquals(
            (new Sample)->newFromBuilder($created)->only($secrets),
            (new Sample)->newFromBuilder($buffered)->only($secrets),
        );

        if ($created['encrypted'] !== null) {
            self::assertNotSame('secret', $buffered['encrypted']);
            self::assertTrue(Hash::check('secret', is_string($buffered['hashed']) ? $buffered['hashed'] : ''));
        }
    }

    /** @param Closure(): mixed $call */
    private static function refusal(Closure $call): InvalidConfig
    {
        try {
            $call();
            self::fail('It was taken.');
        } catch (InvalidConfig $e) {
            return $e;
        }
    }
}
