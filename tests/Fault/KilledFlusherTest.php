<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Database;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * kill -9 at every named step of seal and delivery, and again at every step of what comes after.
 */
final class KilledFlusherTest extends FaultTestCase
{
    private const SEAL = ['seal.counted', 'seal.noted', 'seal.put', 'seal.renamed'];

    private const DELIVERY = ['delivery.begun', 'ledger.advanced', 'rows.inserted', 'delivery.committed'];

    /**
     * @return iterable<string, array{string}> each point each time that three slots, delivered in two batches, pass it
     */
    public static function everyPoint(): iterable
    {
        foreach ([...self::SEAL, 'segment.completed'] as $point) {
            foreach ([1, 2, 3] as $time) {
                yield "{$point}#{$time}" => ["{$point}#{$time}"];
            }
        }

        foreach (self::DELIVERY as $point) {
            foreach ([1, 2] as $time) {
                yield "{$point}#{$time}" => ["{$point}#{$time}"];
            }
        }
    }

    /** @return iterable<string, array{string}> */
    public static function firstTimes(): iterable
    {
        foreach ([...self::SEAL, ...self::DELIVERY, 'segment.completed'] as $point) {
            yield $point => [$point];
        }
    }

    /** @return array<string, array{string}> */
    public static function sampledFirstTimes(): array
    {
        return Sample::of(self::firstTimes(), 3);
    }

    #[Test]
    #[TestDox('flusher killed at any step')]
    #[DataProvider('everyPoint')]
    public function nothing_is_lost_or_doubled_and_the_next_flush_goes_on(string $point): void
    {
        $ids = $this->threeSlots();
        $this->killAt($point);
        $this->assertLedgerAndRowsAgree();
        $arrived = count($this->world->rows());
        $this->assertAccounts(accepted: count($ids), delivered: $arrived, pending: count($ids) - $arrived);
        $this->flush();
        $this->assertDeliveredOnce($ids);
    }

    #[Test]
    #[DataProvider('everyPoint')]
    public function a_slot_that_grew_after_the_crash_is_counted_again(string $point): void
    {
        $ids = $this->threeSlots();
        $this->killAt($point);
        $this->world->append(['grown 1', 'grown 2']);
        $this->flush();
        $this->assertDeliveredOnce([...$ids, 'grown 1', 'grown 2']);
    }

    #[Test]
    #[DataProvider('sampledFirstTimes')]
    public function a_second_crash_at_any_step_of_the_recovery_changes_nothing(string $first): void
    {
        $accepted = [];

        foreach ([...self::SEAL, ...self::DELIVERY, 'segment.completed'] as $n => $second) {
            $accepted = [...$accepted, ...$this->threeSlots("round {$n} ")];
            $this->killAt($first);
            $this->world->append(["grown {$n}"]);
            $accepted[] = "grown {$n}";
            $this->child('flush', points: [$second => Act::Kill], world: $this->world->withBatch(4))->awaitKilled();
            $this->assertLedgerAndRowsAgree();
            $this->flush();
            $this->assertDeliveredOnce($accepted);
        }
    }

    #[Test]
    #[TestDox('flusher killed at any step')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function a_delivery_that_is_killed_anywhere_arrives_once(Database $database): void
    {
        $this->useDatabase($database);
        $accepted = [];

        foreach (self::DELIVERY as $n => $point) {
            $accepted = [...$accepted, ...$this->threeSlots("round {$n} ")];
            $this->killAt("{$point}#2");
            $this->flush();
            $this->assertDeliveredOnce($accepted);
        }
    }

    #[Test]
    public function a_number_that_was_given_to_a_slot_and_never_used_is_given_again(): void
    {
        $this->world->append(['first']);
        $this->killAt('seal.noted');
        self::assertSame([], $this->names($this->world->layout()->sealed));
        $this->flush();

        self::assertSame(['00000000000000000001.seg'], $this->names($this->world->layout()->completed));
        $this->assertDeliveredOnce(['first']);
    }

    #[Test]
    public function segments_that_were_delivered_are_completed_by_the_next_flush(): void
    {
        $this->threeSlots();
        $this->killAt('segment.completed#2');
        $this->flush();

        self::assertSame([], $this->names($this->world->layout()->sealed));
        self::assertCount(3, $this->names($this->world->layout()->completed));
    }

    /** @return list<string> two events in each of three slots */
    private function threeSlots(string $prefix = ''): array
    {
        $this->whileHolding(
            "{$prefix}a",
            fn () => $this->whileHolding(
                "{$prefix}b",
                fn () => $this->whileHolding("{$prefix}c", static function (): void {}),
            ),
        );
        self::assertCount(3, $this->slots());

        return ["{$prefix}a.1", "{$prefix}a.2", "{$prefix}b.1", "{$prefix}b.2", "{$prefix}c.1", "{$prefix}c.2"];
    }

    private function killAt(string $point): void
    {
        $this->child('flush', points: [$point => Act::Kill], world: $this->world->withBatch(4))->awaitKilled();
    }

    private function assertLedgerAndRowsAgree(): void
    {
        // No row yet when the first flush was killed early.
        self::assertEquals(
            $this->world->database()->table('spool_ledger')->value('delivered') ?? 0,
            count($this->world->rows()),
        );
    }
}
