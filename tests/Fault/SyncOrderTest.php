<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Tests\Fault\PowerCut\Trace;
use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * The order in which files and directories are put on disk, as strace sees it.
 */
final class SyncOrderTest extends FaultTestCase
{
    private const SLOT = 'events/active/u%d-0000.log';

    #[Test]
    public function with_power_the_path_to_a_bucket_is_on_disk_before_its_first_event(): void
    {
        $slot = $this->slot();
        $words = $this->words('power', ['add 1'])['add 1'];

        self::assertSame(["write {$slot}", "fdatasync {$slot}"], array_slice($words, -2));
        self::assertBefore($words, 'fsync buffer/node', 'mkdir buffer/buckets');
        self::assertBefore($words, 'create '.$slot, 'fsync events/active');

        // Directories from the slot up to the one that was there before, which has no name below itself.
        foreach ([
            'fsync events/active', 'fsync events/state', 'fsync events', 'fsync buffer/buckets', 'fsync buffer/node',
            'fsync buffer', 'fsync ',
        ] as $sync) {
            self::assertBefore($words, $sync, "write {$slot}");
        }
    }

    #[Test]
    public function with_power_a_later_event_costs_one_fdatasync_in_any_slot(): void
    {
        $slot = $this->slot();
        $words = $this->words('power', ['add 1', 'add 2', 'many 3 4', 'keep', 'add 5', 'add 6', 'add 7']);

        foreach (['add 2', 'many 3 4', 'add 5', 'add 6', 'add 7'] as $step) {
            self::assertSame(["write {$slot}", "fdatasync {$slot}"], $words[$step]);
        }
    }

    #[Test]
    public function with_power_the_first_event_of_a_later_slot_syncs_its_directory_only(): void
    {
        $slot = $this->slot();
        $words = $this->words('power', ['add 1', 'flush events', 'add 2']);

        self::assertSame(
            ["create {$slot}", 'fsync events/active', "write {$slot}", "fdatasync {$slot}"],
            $words['add 2'],
        );
    }

    #[Test]
    public function with_power_a_slot_that_was_begun_without_it_is_made_findable_first(): void
    {
        $slot = $this->slot();
        $this->world->append(['before']);
        $words = $this->words('power', ['add 1', 'add 2']);

        foreach (['add 1', 'add 2'] as $step) {
            self::assertBefore($words[$step], 'fsync events/active', "write {$slot}");
        }
    }

    #[Test]
    public function with_power_a_seal_relies_on_nothing_that_is_not_on_disk(): void
    {
        $slot = $this->slot();
        $segment = 'events/sealed/00000000000000000001.seg';
        $words = $this->words('power', ['add 1', 'flush events'])['flush events'];
        $words = array_values(array_filter(
            $words,
            static fn (string $word): bool => ! str_contains($word, 'sqlite') && $word !== 'fdatasync ',
        ));

        self::assertSame([
            'truncate events/flush.lock', "truncate {$slot}", "fsync {$slot}",
            'write events/state', 'fsync events/state',
            "rename {$slot} {$segment}", 'fsync events/sealed', 'fsync events/active',
            'write events/state', 'fsync events/state',
            "rename {$segment} events/completed/00000000000000000001.seg",
        ], $words);
    }

    #[Test]
    public function with_power_a_file_that_receives_events_is_on_disk_before_the_cursor_moves(): void
    {
        $words = $this->words('power', ['into lines', 'add 1', 'flush lines'])['flush lines'];
        // The test's sink notes each delivery in a file next to the buffer.
        $words = array_values(array_filter(
            $words,
            static fn (string $word): bool => ! str_contains($word, 'deliveries'),
        ));

        self::assertSame([
            'write lines/state', 'fsync lines/state', // the plan
            'create lines.json', 'write lines.json', 'fsync lines.json', 'fsync ',
            'write lines/state', 'fsync lines/state', // the cursor
            'rename lines/sealed/00000000000000000001.seg lines/completed/00000000000000000001.seg',
        ], array_slice($words, -9));
    }

    #[Test]
    public function with_power_the_cursor_is_on_disk_before_delivered_segments_are_removed(): void
    {
        $words = $this->words('power', ['add 1', 'flush events', 'add 2', 'flush events', 'clean events']);

        self::assertSame(
            ['fsync events/state', 'unlink events/completed/00000000000000000001.seg'],
            $words['clean events'],
        );
    }

    /** As a collector does whose bucket says nothing. */
    #[Test]
    public function a_flush_without_power_keeps_the_promise_of_a_writer_with_power(): void
    {
        $this->world->withDurability('power')->append(['promised'], 'lines');
        $words = $this->words('process', ['flush lines', 'add 1']);
        $flushed = array_values(array_filter(
            $words['flush lines'],
            static fn (string $word): bool => ! str_contains($word, 'deliveries'),
        ));

        self::assertSame([
            'write lines/state', 'fsync lines/state', // the plan
            'create lines.json', 'write lines.json', 'fsync lines.json', 'fsync ',
            'write lines/state', 'fsync lines/state', // the cursor
            'rename lines/sealed/00000000000000000001.seg lines/completed/00000000000000000001.seg',
        ], array_slice($flushed, -9));
        self::assertSame([], self::syncs($words['add 1']), 'of another bucket');
    }

    #[Test]
    public function with_interval_a_request_syncs_nothing_and_the_worker_each_changed_file(): void
    {
        $slot = $this->slot();
        $words = $this->words('interval', ['add 1', 'add 2', 'sync', 'add 3', 'sync 2', 'flush events', 'add 4']);

        foreach (['add 1', 'add 2', 'add 3', 'add 4'] as $step) {
            self::assertSame([], self::syncs($words[$step]), $step);
        }

        self::assertSame([
            'fsync events/state', 'fsync events', 'fsync buffer/buckets', 'fsync buffer/node', 'fsync buffer', 'fsync ',
            "fdatasync {$slot}", 'fsync events/active',
        ], self::syncs($words['sync']));
        self::assertSame(["fdatasync {$slot}"], self::syncs($words['sync 2']));
        self::assertContains("fsync {$slot}", self::syncs($words['flush events']), 'The seal syncs what it seals.');
    }

    #[Test]
    public function with_process_nothing_is_synced(): void
    {
        $words = $this->words('process', [
            'add 1', 'add 2', 'keep', 'add 3', 'add 4', 'release', 'flush events', 'add 5', 'flush events',
            'clean events', 'into lines', 'add 6', 'flush lines',
        ]);

        foreach ($words as $step => $done) {
            // The database looks after itself.
            $ours = array_filter(
                self::syncs($done),
                static fn (string $word): bool => ! str_contains($word, 'sqlite') && $word !== 'fdatasync ',
            );
            self::assertSame([], $ours, $step);
        }
    }

    /**
     * @param list<string> $steps
     * @return array<string, list<string>>
     */
    private function words(string $durability, array $steps): array
    {
        $trace = Trace::of($this->world->withDurability($durability), $steps);
        self::assertSame([], $trace->failures);

        return $trace->words();
    }

    /**
     * @param list<string> $words
     * @return list<string>
     */
    private static function syncs(array $words): array
    {
        return array_values(array_filter(
            $words,
            static fn (string $word): bool => preg_match('/^f(data)?sync /', $word) === 1,
        ));
    }

    /** @param list<string> $words */
    private static function assertBefore(array $words, string $first, string $then): void
    {
        $at = array_search($first, $words, true);
        $thenAt = array_search($then, $words, true);

        self::assertIsInt($at, "Never: {$first}");
        self::assertIsInt($thenAt, "Never: {$then}");
        self::assertLessThan($thenAt, $at, "{$first} comes after: {$then}");
    }

    private function slot(): string
    {
        return sprintf(self::SLOT, posix_geteuid());
    }
}
