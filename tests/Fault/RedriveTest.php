<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Position;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Recovery\ReplayFrom;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\DeadLetterTestCase;
use Headroom\Tests\Fault\Support\SetClock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * Dead letters that are retried or forgotten, or that a restored database asks for again.
 */
final class RedriveTest extends DeadLetterTestCase
{
    #[Test]
    public function a_letter_that_is_retried_arrives_once_and_keeps_its_id(): void
    {
        $this->append(['a', 'bad 1', 'b'], 'picky');
        $this->flush('picky');
        $id = $this->letters('picky')[0]->id;
        self::assertSame(1, $this->world->letters('picky')->retry($this->positions('picky')));
        $this->assertDead([], 'picky');
        $this->assertCounts(accepted: 3, delivered: 2, dead: 0, pending: 1, bucket: 'picky');

        self::assertNull($this->world->flush('picky')->failure);
        self::assertSame($id, $this->letters('picky')[0]->id, 'It died again, under the same id.');
        $this->assertCounts(accepted: 3, delivered: 2, dead: 1, bucket: 'picky');
        self::assertSame(0, $this->world->letters('picky')->retry([new Position(1, 0, 0)]));
    }

    #[Test]
    #[TestDox('dead letter retried')]
    public function letters_that_are_retried_after_the_table_was_fixed_arrive_once(): void
    {
        $ids = [...self::ids('bad ', 12), 'good'];
        $this->append($ids);
        $this->flush();
        $this->mendTable();
        self::assertSame(12, $this->world->letters()->retry($this->positions()));
        self::assertSame(0, $this->world->letters()->retry($this->positions()), 'Nothing is left to be retried.');
        $this->flush();

        self::assertSame(13, $this->world->database()->table('events')->count());
        self::assertSame(13, $this->world->database()->table('events')->distinct()->count('id'));
        $this->assertCounts(accepted: 13, delivered: 13, dead: 0);
    }

    /** @return iterable<string, array{string}> */
    public static function pointsOfARetry(): iterable
    {
        foreach ([
            'seal.counted', 'seal.noted', 'seal.put', 'seal.renamed', 'letter.removed', 'letter.removed#2',
            'letter.removed#3',
        ] as $point) {
            yield $point => [$point];
        }
    }

    #[Test, Group('day-3')]
    #[TestDox('dead letter retried')]
    #[DataProvider('pointsOfARetry')]
    public function a_retry_that_is_killed_anywhere_puts_each_event_into_the_log_once(string $point): void
    {
        $this->append(['bad 1', 'a', 'bad 2', 'bad 3']);
        $this->flush();
        $this->mendTable();
        $this->child('retry', [], [$point => Act::Kill])->awaitKilled();
        $this->assertCounts(accepted: 4, delivered: 1, pending: null);

        // The next process repeats the retry, or flushes.
        $this->world->letters()->retry($this->positions());
        $this->flush();
        self::assertSame(4, $this->world->database()->table('events')->count());
        self::assertSame(4, $this->world->database()->table('events')->distinct()->count('id'));
        $this->assertDead([]);
        $this->assertCounts(accepted: 4, delivered: 4, dead: 0);
    }

    #[Test]
    public function a_letter_that_is_forgotten_stays_counted_as_dead(): void
    {
        $this->append(['a', 'bad 1', 'bad 2']);
        $this->flush();
        self::assertSame(1, $this->world->letters()->forget([$this->positions()[0]]));
        $this->assertDead(['bad 2']);
        $this->assertCounts(accepted: 3, delivered: 1, dead: 2);
    }

    #[Test]
    public function a_restored_database_gets_back_what_it_lost_and_no_letter_twice(): void
    {
        $this->append(['a']);
        $this->flush();
        $ledger = (array) $this->world->database()->table('spool_ledger')->first();
        $this->append(['bad 1', 'b', 'bad 2']);
        $this->flush();
        $this->mendTable();
        $this->world->letters()->retry([$this->positions()[0]]);
        $this->flush();
        $this->world->letters()->forget($this->positions());
        self::assertSame(3, $this->world->database()->table('events')->count());

        $this->world->database()->table('events')->where('arrival', '>', 1)->delete();
        $this->world->database()->table('spool_ledger')->update($ledger);
        $this->assertCounts(accepted: 4, delivered: 1, dead: 1, pending: 2);
        $this->flush();
        self::assertSame(
            ['a', 'b', 'bad 1'],
            $this->world->database()->table('events')->orderBy('arrival')->pluck('id')->all(),
        );
        $this->assertCounts(accepted: 4, delivered: 3, dead: 1);
    }

    #[Test]
    public function a_letter_whose_segment_is_cleaned_outlives_a_restored_database(): void
    {
        $this->append(['a']);
        $this->flush();
        $ledger = (array) $this->world->database()->table('spool_ledger')->first();

        foreach (['bad 1', 'b', 'bad 2', 'c', 'd'] as $id) {
            $this->append([$id]);
            $this->flush();
        }

        $this->mendTable();
        $this->world->letters()->retry([$this->positions()[0]]);
        $this->flush();
        $this->world->cleaner(new SetClock((int) (microtime(true) * 1e6) + 3_600_000_000))->clean(60);
        $this->world->database()->table('spool_ledger')->update($ledger);
        $this->flush();

        $this->assertDead(['bad 2']);
        self::assertGreaterThanOrEqual(0, $this->world->status()->events->dead);
    }

    #[Test]
    public function letters_refused_again_or_forgotten_say_nothing_of_the_sink(): void
    {
        $this->append([...self::ids('bad ', 40), 'good', ...self::ids('bad again ', 40)]);
        $this->flush();
        self::assertSame(80, $this->world->letters()->retry($this->positions()));
        $this->append(['bad new', 'behind']);
        $this->flush();
        self::assertSame(['good', 'behind'], $this->world->rows());

        $this->world->letters()->forget($this->positions());
        self::assertTrue($this->world->replay(ReplayFrom::start(), again: true)->isDone);
        $this->append(['bad last']);
        $this->flush();
        $this->assertDead(['bad last']);
        self::assertSame(0, $this->world->status()->events->missing);
    }

    #[Test]
    public function letters_refused_again_tell_nothing_of_a_sink_that_cannot_be_tried(): void
    {
        $this->append([...self::ids('bad ', 40), 'good', ...self::ids('bad again ', 40)], 'picky');
        $this->flush('picky');
        self::assertSame(80, $this->world->letters('picky')->retry($this->positions('picky')));
        self::assertNull($this->world->flush('picky')->failure);
        $this->append(['bad new', 'behind'], 'picky');
        self::assertNull($this->world->flush('picky')->failure);
        $this->assertCounts(accepted: 83, delivered: 2, dead: 81, bucket: 'picky');
    }

    #[Test]
    public function after_many_were_buried_the_next_ones_wait_for_a_good_one_again(): void
    {
        $this->append(self::ids('bad ', 60));
        self::assertNotNull($this->world->flush()->failure);
        self::assertNull($this->world->flush(limits: new FlushOptions(now: true, buryAll: true))->failure);
        $this->append(['bad next']);
        self::assertNotNull($this->world->flush()->failure);
        $this->append(['good']);
        $this->flush();
        $this->assertCounts(accepted: 62, delivered: 1, dead: 61);
    }

    #[Test]
    public function stones_go_with_their_segments(): void
    {
        $this->append(['bad 1', 'good']);
        $this->flush();
        $this->world->letters()->forget($this->positions());
        $this->append(['a']);
        $this->flush();
        self::assertCount(1, $this->names($this->world->layout()->dead));
        $this->world->cleaner(new SetClock((int) (microtime(true) * 1e6) + 3_600_000_000))->clean(60);
        self::assertSame([], $this->names($this->world->layout()->dead));
        $this->assertCounts(accepted: 3, delivered: 2, dead: 1);
    }
}
