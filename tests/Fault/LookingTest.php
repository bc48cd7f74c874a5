<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Closure;
use Headroom\Console\Spool\PeekCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Core\Clock;
use Headroom\Core\Finding;
use Headroom\Core\SystemClock;
use Headroom\Sink\Progress;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\DiskQuota;
use Headroom\Spool\FileStore\State\SnapshotReader;
use Headroom\Spool\Monitoring\Inspector;
use Headroom\Spool\Monitoring\Verify\Accounts;
use Headroom\Spool\Monitoring\Verify\Findings;
use Headroom\Spool\Monitoring\Verify\Verification;
use Headroom\Spool\SpoolConfig;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Unit\Doctor\Support\Meanwhile;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Output\BufferedOutput;

/**
 * Commands that only read see one moment, even while other processes write and flush.
 */
final class LookingTest extends FaultTestCase
{
    #[Test, Group('day-3')]
    #[TestWith(['seal.counted'])]
    #[TestWith(['seal.noted'])]
    #[TestWith(['seal.put'])]
    #[TestWith(['seal.renamed'])]
    #[TestWith(['ledger.advanced'])]
    #[TestWith(['rows.inserted'])]
    #[TestWith(['delivery.committed'])]
    #[TestWith(['segment.completed'])]
    public function in_the_middle_of_a_flush_and_after_its_death_all_is_right(string $point): void
    {
        $this->whileHolding('a', fn () => $this->world->append(['b', 'c', 'd']));

        $waiting = $this->child('flush', points: [$point => Act::Wait], world: $this->world->withBatch(2));
        $waiting->awaitPoint($point);
        $this->assertAllIsRight();
        $waiting->kill();
        $this->assertAllIsRight();

        $this->flush();
        $this->assertAllIsRight();
        $this->assertDeliveredOnce(['a.1', 'a.2', 'b', 'c', 'd']);
    }

    #[Test, Group('day-2')]
    public function while_writers_and_flushers_run_nothing_is_ever_missing(): void
    {
        $writers = [$this->child('write until killed', ['first']), $this->child('write until killed', ['second'])];
        $flusher = $this->child('flush until killed', world: $this->world->withBatch(20)->withSegmentBytes(65_536));
        $seen = [];

        for ($look = 0; $look < 40 || count(array_unique($seen)) < 10; $look++) {
            array_map(static fn ($child): bool => $child->isRunning(), [...$writers, $flusher]);
            $status = $this->world->status();
            self::assertSame([0, null], [$status->events->missing, $status->error], "Look {$look}.");
            $this->assertAllIsRight(isMoving: true);
            $seen[] = $status->events->delivered;
        }

        array_map(static fn ($child) => $child->kill(), [...$writers, $flusher]);
        $this->flush();
        $this->assertAllIsRight();
    }

    #[Test]
    public function segments_that_a_flush_moves_during_the_look_are_looked_at_again(): void
    {
        $this->world->append(['a', 'b']);
        $looks = 0;
        $snapshot = $this->snapshots()->take(function () use (&$looks): ?Progress {
            if ($looks++ === 0) {
                $this->flush();
            }

            return null;
        });

        self::assertSame(
            [true, 2, 2, 0, 1],
            [
                $snapshot->isStable,
                $snapshot->record->accepted,
                $snapshot->progress()->delivered,
                count($snapshot->activeSegments),
                count($snapshot->segments),
            ],
        );
    }

    #[Test]
    public function a_segment_sealed_during_the_look_is_not_called_strange(): void
    {
        $this->world->append(['a']);
        $this->flush();
        $runtime = $this->world->runtime();
        $id = 0;
        $snapshot = $this->snapshots(new Meanwhile(static fn (): null => null, 10_000))
            ->take(function () use (&$id): ?Progress {
                $this->world->append(['b'.++$id]);
                $this->flush();

                return null;
            });
        $problems = [];
        $findings = new Findings(static function (Finding $problem) use (&$problems): void {
            $problems[] = [$problem->fatal, $problem->subject];
        }, static function (): void {});
        (new Accounts(
            $snapshot,
            $runtime->bucketTools('events')->ledger(),
            $this->world->layout(),
            $findings,
        ))->compare(
            new Verification('events'),
        );

        self::assertFalse($snapshot->isStable);
        self::assertSame([[false, 'events: accounts']], $problems);
    }

    #[Test]
    public function a_slot_that_is_sealed_between_two_listings_counts_once(): void
    {
        $this->world->append(['a', 'b']);
        $this->flush();
        // In the middle of a rename, one file can be seen under both names.
        link(
            "{$this->world->layout()->completed}/00000000000000000001.seg",
            "{$this->world->layout()->active}/u0-0000.log",
        );
        $snapshot = $this->snapshots()->take(static fn (): ?Progress => null);

        self::assertSame([0, 1], [count($snapshot->activeSegments), count($snapshot->segments)]);
    }

    #[Test]
    public function a_slot_that_is_sealed_between_two_listings_fills_the_quota_once(): void
    {
        $this->world->append(['a', 'b']);
        $layout = $this->world->layout();
        $slot = glob("{$layout->active}/*.log");
        self::assertIsArray($slot);
        link($slot[0], "{$layout->sealed}/00000000000000000001.seg");
        $room = new DiskQuota(SpoolConfig::fromArray(['path' => "{$this->world->directory}/buffer"]), 'events');

        self::assertSame([1, filesize($slot[0])], [$room->files(), $room->used()]);
    }

    #[Test]
    #[TestWith(['seal.counted'])]
    #[TestWith(['seal.renamed'])]
    #[TestWith(['letter.removed'])]
    public function a_letter_whose_retry_was_killed_is_counted_once(string $point): void
    {
        $this->world->buffer()->bucket('events')->addMany([['id' => 'bad 1'], Event::of('a'), ['id' => 'bad 2']]);
        $this->flush();
        $this->child('retry', [], [$point => Act::Kill])->awaitKilled();
        $runtime = $this->world->runtime();
        $verified = $runtime->bucketTools('events')
            ->verifier()
            ->verify(
                'events',
                $runtime->bucketTools('events')->ledger(),
                new Findings(static function (): void {}, static function (): void {}),
            );
        $status = $this->world->status();

        self::assertSame([3, 1, 0], [$status->events->accepted, $status->events->delivered, $status->events->missing]);
        self::assertSame(
            [
                $status->events->accepted,
                $status->events->delivered,
                $status->events->dead,
                $status->events->pending,
                0,
                0,
            ],
            [
                $verified->accepted,
                $verified->delivered,
                $verified->dead,
                $verified->pending(),
                $verified->missing,
                $verified->wrong,
            ],
        );
    }

    #[Test]
    public function segments_cleaned_away_during_a_verification_are_not_missing(): void
    {
        $this->world->database()->getSchemaBuilder()->rename('events', 'elsewhere');

        foreach (['a', 'b', 'c'] as $id) {
            $this->world->append([$id]);
            $this->world->flush();
        }

        $this->world->database()->getSchemaBuilder()->rename('elsewhere', 'events');
        [$problems, $result] = $this->verifyWhile(function (): void {
            $this->flush();
            $this->world->cleaner(new SystemClock)->clean(-60);
        });

        self::assertCount(
            1,
            $this->names($this->world->layout()->completed),
            'All but the newest were cleaned away meanwhile.',
        );
        self::assertSame([[], 3, 3, 0], [$problems, $result->accepted, $result->delivered, $result->missing]);
    }

    #[Test]
    public function a_slot_whose_name_the_next_one_has_by_now_is_not_called_unreadable(): void
    {
        $this->world->append(['a']);
        $asked = 0;
        $seen = (new Inspector(
            $this->world->layout(),
            new Permissions,
            new SystemClock,
        ))->inspect(function () use (&$asked): null {
            // After the look at the names.
            if (++$asked === 2) {
                $this->deliverAndReplaceTheSlot();
            }

            return null;
        });

        self::assertSame([[], true], [$seen->unreadable, $seen->isExact]);
    }

    #[Test]
    public function a_verification_does_not_call_a_replaced_slot_unreadable(): void
    {
        $this->world->append(['first']);
        $this->world->seal();
        $this->world->append(['a']);
        [$problems, $result] = $this->verifyWhile($this->deliverAndReplaceTheSlot(...));

        self::assertSame([[], 0], [$problems, $result->missing]);
    }

    /**
     * @param Closure(): void $meanwhile what others do once it has begun
     * @return array{list<string>, Verification} what is wrong, and the result
     */
    private function verifyWhile(Closure $meanwhile): array
    {
        $runtime = $this->world->runtime();
        $problems = [];
        $reads = 0;
        $findings = new Findings(static function (Finding $problem) use (&$problems): void {
            $problems[] = $problem->message;
        }, static function () use (&$reads, $meanwhile): void {
            if ($reads++ === 0) {
                $meanwhile();
            }
        });
        $result = $runtime->bucketTools('events')
            ->verifier()
            ->verify('events', $runtime->bucketTools('events')->ledger(), $findings);

        return [$problems, $result];
    }

    private function deliverAndReplaceTheSlot(): void
    {
        $this->flush();
        $this->world->append(['b']);
        $this->flush();
        // Before the first one is gone, or it would get that inode, too.
        $this->world->append(['c']);
        $this->world->cleaner(new SystemClock)->clean(-60);
    }

    private function snapshots(Clock $clock = new SystemClock): SnapshotReader
    {
        return new SnapshotReader($this->world->layout(), new Permissions, $clock);
    }

    private function assertAllIsRight(bool $isMoving = false): void
    {
        $output = new BufferedOutput;

        $exit = (new VerifyCommand($this->world->runtime()))->run(
            new ArrayInput(['bucket' => 'events', '--json' => true]),
            $output,
        );
        $answer = $output->fetch();
        self::assertSame(0, $exit, $answer);
        // Where no writer stops, there may be no one moment.
        self::assertTrue($isMoving || ((array) json_decode($answer, true))['findings'] === [], $answer);
        self::assertSame(
            0,
            (new PeekCommand($this->world->runtime()))->run(new ArrayInput(['bucket' => 'events']), $output),
            $output->fetch(),
        );
    }
}
