<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\Database;
use Headroom\Tests\Fault\Support\DatabaseSession;
use Headroom\Tests\Fault\Support\DeadLetterTestCase;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\World;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * Whose fault it is, the sink's or the events': docs/adr/0025. No event dies of a broken table, and no stranger stops a
 * bucket with events that it refuses, however many these are.
 */
final class SinkAtFaultTest extends DeadLetterTestCase
{
    /** @return iterable<string, array{Database, string}> */
    public static function brokenTables(): iterable
    {
        foreach (Database::cases() as $database) {
            foreach ([
                'gone', 'a column renamed', 'a column more', 'a trigger before', 'a trigger behind', 'another type',
            ] as $fault) {
                if ($database !== Database::Sqlite || $fault !== 'another type') {
                    yield "{$database->name}, {$fault}" => [$database, $fault];
                }
            }
        }
    }

    /** @return array<string, array{Database, string}> */
    public static function sampledBrokenTables(): array
    {
        return Sample::of(self::brokenTables(), 5);
    }

    #[Test, Group('day-1')]
    #[DataProvider('sampledBrokenTables')]
    public function a_broken_table_keeps_every_event_with_and_without_a_past(Database $database, string $fault): void
    {
        foreach ([true, false] as $hasPast) {
            $this->useDatabase($database);
            $past = $hasPast ? ['before'] : [];
            $this->append($past);
            $this->flush();
            $ids = self::ids('event ', 60);
            $this->append($ids);
            $this->break($database, $fault);

            // More often than what may be of the moment is given time for.
            foreach (range(1, 6) as $try) {
                self::assertNotNull($this->world->flush()->failure, "Try {$try}");
            }

            $this->assertDead([]);
            $this->assertCounts(accepted: count($past) + 60, delivered: count($past), dead: 0, pending: 60);
            $this->repair($database, $fault);
            $this->flush();
            $this->assertDeliveredOnce([...$past, ...$ids]);
            $this->world->destroy();
            $this->setUp();
        }
    }

    #[Test]
    #[TestDox('database that became read-only (failover)')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function a_session_on_a_read_only_server_is_given_up_in_the_same_flush(Database $database): void
    {
        if ($database === Database::Sqlite) {
            self::markTestSkipped('SQLite has no sessions.');
        }

        $this->useDatabase($database);
        $flusher = $this->world->flusher();
        $this->append(['a']);
        self::assertNull($flusher->flush('events')->failure);
        $session = $this->session($database);
        $this->world->database()->statement(
            $database === Database::PostgreSql
                ? 'set session characteristics as transaction read only'
                : 'set session transaction read only',
        );
        $this->append(['b', 'c']);
        $report = $flusher->flush('events', new FlushOptions(now: true));

        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        self::assertNotSame($session, $this->session($database));
        $this->assertDeliveredOnce(['a', 'b', 'c']);
    }

    #[Test]
    #[TestDox('flood of events that the sink refuses')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function a_flood_that_is_refused_stops_no_bucket_that_has_taken_something_before(Database $database): void
    {
        $this->useDatabase($database);
        $this->append(['before']);
        $this->flush();

        // Flush by flush, as a worker meets it: nothing else is in the segments behind.
        foreach (range(1, 12) as $turn) {
            $this->append(self::ids("bad {$turn}.", 11));
            $this->flush();
        }

        $bad = self::ids('bad at once ', 130);
        $this->append($bad);
        $this->flush();
        $this->assertCounts(accepted: 263, delivered: 1, dead: 262);
    }

    #[Test, Group('day-1')]
    #[TestDox('table that refuses all new events, such as one without a partition for today')]
    public function what_only_older_events_speak_for_holds_its_bucket_behind_a_thousand(): void
    {
        $this->append(['before']);
        $this->flush();

        foreach (range(1, 2) as $turn) {
            $this->append(self::ids("bad {$turn}.", 500));
            $this->flush();
        }

        $this->append(self::ids('bad again ', 500));
        self::assertInstanceOf(UnableToFlush::class, $this->world->flush()->failure);
        $status = $this->world->status();
        self::assertSame(
            [1501, 1, 0],
            [$status->events->accepted, $status->events->delivered, $status->events->missing],
        );
        self::assertGreaterThanOrEqual(1000, $status->events->dead);
        self::assertLessThan(1100, $status->events->dead);

        // One that the sink takes shows that it was the events.
        $this->append(['good']);
        $this->flushUntilGreen();
        $this->assertCounts(accepted: 1502, delivered: 2, dead: 1500);
    }

    #[Test]
    #[TestDox('flood of events that the sink refuses')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function one_good_event_anywhere_lets_a_flood_pass_in_a_bucket_without_a_past(Database $database): void
    {
        $this->useDatabase($database);
        $this->append(self::ids('bad ', 60));
        self::assertInstanceOf(UnableToFlush::class, $this->world->flush()->failure);
        $this->assertDead([]);
        $this->append(['good', ...self::ids('bad again ', 60)]);

        $this->flushUntilGreen();
        self::assertSame(['good'], $this->world->rows());
        $this->assertCounts(accepted: 121, delivered: 1, dead: 120);
    }

    /** A slow machine tries a part of what waits only, and another one each time. */
    private function flushUntilGreen(): void
    {
        for ($flush = 1; $flush < 20
            && $this->world->flush(limits: new FlushOptions(now: true))->failure !== null; $flush++);
    }

    #[Test]
    public function a_full_database_costs_at_most_one_event_in_four_flushes(): void
    {
        $this->append(['before']);
        $this->flush();
        $pages = $this->world->database()->scalar('pragma page_count');
        $this->append(self::ids('event ', 60));
        $this->world->database()->getPdo()->exec('pragma max_page_count = '.(is_numeric($pages) ? $pages : 0));

        foreach (range(1, 9) as $try) {
            $this->world->flush();
        }

        // Each is tried in five, of which the first is the one that gave up the event before it.
        self::assertLessThanOrEqual(2, $this->world->status()->events->dead);
        $this->world->database()->unprepared('pragma max_page_count = 1000000');
        $this->flush();
        self::assertSame(61, $this->world->status()->events->delivered + $this->world->status()->events->dead);
    }

    #[Test]
    public function rows_that_exist_already_are_no_sign_of_a_broken_table(): void
    {
        $this->world->database()->statement('create unique index once on events (id)');
        $ids = self::ids('event ', 70);
        $this->append($ids);
        $this->flush();
        $this->append($ids);
        $this->flush();

        self::assertCount(70, $this->world->rows());
        $this->assertCounts(accepted: 140, delivered: 70, dead: 70);
    }

    #[Test]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function a_row_that_another_session_has_locked_waits_and_does_not_die(Database $database): void
    {
        $this->useDatabase($database);
        $connection = $this->world->database();
        $connection->statement('create unique index one on '.$connection->getTablePrefix().'events (id)');
        $this->append(['before']);
        $this->flush();
        $elsewhere = World::fromJson($this->world->toJson());
        $other = $elsewhere->database();
        $other->beginTransaction();
        $other->table('events')->insert(['id' => 'locked', 'body' => 'x']);
        $this->append(['a', 'locked', 'b']);
        $flusher = $this->world->flusher();
        (new DatabaseSession($this->world))->beImpatient();

        foreach (range(1, 3) as $try) {
            self::assertNotNull($flusher->flush('events', new FlushOptions(now: true))->failure, "Try {$try}");
            (new DatabaseSession($this->world))->beImpatient();
        }

        $this->assertDead([]);
        $other->rollBack();
        $this->flush();
        $this->assertDeliveredOnce(['a', 'b', 'before', 'locked']);
    }

    private function break(Database $database, string $fault): void
    {
        $connection = $this->world->database();
        $table = $connection->getTablePrefix().'events';
        $raising = match ($database) {
            Database::Sqlite => "select raise(abort, 'not today');",
            Database::PostgreSql => '',
            default => "signal sqlstate '45000' set message_text = 'not today'",
        };
        $trigger = fn (string $when): array => match ($database) {
            Database::Sqlite => ["create trigger refusing {$when} insert on {$table} begin {$raising} end"],
            Database::PostgreSql => [
                "create or replace function {$table}_refuse() returns trigger language plpgsql as \$\$ begin raise"
                    ." exception 'not today'; end \$\$",
                "create trigger refusing {$when} insert on {$table} for each row execute function {$table}_refuse()",
            ],
            default => ["create trigger {$table}_refusing {$when} insert on {$table} for each row {$raising}"],
        };

        foreach (match ($fault) {
            'gone' => ["alter table {$table} rename to {$table}_elsewhere"],
            'a column renamed' => ["alter table {$table} rename column body to text"],
            'a column more' => match ($database) {
                Database::Sqlite => [
                    'create table more (arrival integer primary key autoincrement, id varchar, body text,'
                        .' more int not null)',
                    "insert into more select arrival, id, body, 0 from {$table}", "drop table {$table}",
                    "alter table more rename to {$table}",
                ],
                Database::PostgreSql => [
                    "alter table {$table} add column more int not null default 0",
                    "alter table {$table} alter column more drop default",
                ],
                default => ["alter table {$table} add column more int not null"],
            },
            'a trigger before' => $trigger('before'),
            'a trigger behind' => $trigger('after'),
            default => $database === Database::PostgreSql
                ? ["alter table {$table} alter column body type int using 1"]
                : ["update {$table} set body = '1'", "alter table {$table} modify body int not null"],
        } as $statement) {
            $connection->getPdo()->exec($statement);
        }
    }

    private function repair(Database $database, string $fault): void
    {
        $connection = $this->world->database();
        $table = $connection->getTablePrefix().'events';

        foreach (match ($fault) {
            'gone' => ["alter table {$table}_elsewhere rename to {$table}"],
            'a column renamed' => ["alter table {$table} rename column text to body"],
            'a column more' => match ($database) {
                Database::Sqlite => ["alter table {$table} drop column more"],
                Database::PostgreSql => ["alter table {$table} alter column more set default 0"],
                default => ["alter table {$table} alter column more set default 0"],
            },
            'a trigger before', 'a trigger behind' => match ($database) {
                Database::Sqlite => ['drop trigger refusing'],
                Database::PostgreSql => ["drop function {$table}_refuse() cascade"],
                default => ["drop trigger {$table}_refusing"],
            },
            default => [
                $database === Database::PostgreSql
                    ? "alter table {$table} alter column body type text using body::text"
                    : "alter table {$table} modify body mediumtext not null",
                "delete from {$table}",
            ],
        } as $statement) {
            $connection->getPdo()->exec($statement);
        }

        if ($fault === 'another type') {
            $rows = $this->world->status()->events->delivered;
            $rows === 0 || $connection->table('events')->insert(Event::of('before'));
        }
    }

    private function session(Database $database): int
    {
        $id = $this->world->database()
            ->scalar($database === Database::PostgreSql ? 'select pg_backend_pid()' : 'select connection_id()');

        return is_numeric($id) ? (int) $id : 0;
    }
}
