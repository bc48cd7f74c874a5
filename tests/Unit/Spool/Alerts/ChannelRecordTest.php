<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Alerts;

use Headroom\Spool\Alerts\Alert;
use Headroom\Spool\Alerts\AlertCause;
use Headroom\Spool\Alerts\ChannelRecord;
use Headroom\Spool\Alerts\Decision;
use Headroom\Spool\Alerts\LetterCount;
use Headroom\Spool\Alerts\Observation;
use Headroom\Spool\Alerts\ReportedCause;
use Headroom\Spool\Alerts\ResolvedAlert;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * The rules for one channel, over generated days in which problems come and go and the channel fails.
 */
final class ChannelRecordTest extends TestCase
{
    private const MINUTES = 600;

    private const START = 1_800_000_000;

    /** @return iterable<string, array{int}> */
    public static function days(): iterable
    {
        for ($day = 0; $day < Sample::number(20, 400); $day++) {
            $seed = Sample::seed() + $day;

            yield "seed {$seed}" => [$seed];
        }
    }

    #[Test]
    #[DataProvider('days')]
    public function a_problem_is_told_once_an_hour_at_most_and_ends_once(int $seed): void
    {
        $random = new Randomizer(new Mt19937($seed));
        $record = new ChannelRecord;
        $present = $toldAt = $open = [];

        for ($minute = 0; $minute < self::MINUTES; $minute++) {
            $now = self::START + 60 * $minute + $random->getInt(-5, 5);
            $present = self::change($present, $random);
            $seen = self::observation($present, $minute);
            $decision = self::stored($record)->decide($seen, $now);

            if ($random->getInt(0, 3) === 0) {
                $record = $decision->untold;

                continue;
            }

            foreach ($decision->raised as $alert) {
                self::assertGreaterThanOrEqual(
                    ReportedCause::INTERVAL_SECONDS,
                    $now - ($toldAt[$alert->key()] ?? 0),
                    $alert->key(),
                );
                self::assertArrayHasKey($alert->key(), $present);
                $toldAt[$alert->key()] = $now;
                $open[$alert->key()] = true;
            }

            $open = self::withoutEnded($decision, $open, $present);
            $record = $decision->told;
        }

        self::assertNotSame([], $toldAt);
    }

    #[Test]
    #[DataProvider('days')]
    public function a_problem_that_lasts_is_told_within_the_hour(int $seed): void
    {
        $random = new Randomizer(new Mt19937($seed));
        $record = new ChannelRecord;
        $present = [];

        for ($minute = 0; $minute < 120; $minute++) {
            $present = self::change($present, $random);
            $record = $record->decide(self::observation($present, 0), self::START + 60 * $minute)->told;
        }

        $present = array_fill_keys(array_keys(self::alerts()), true);
        $open = [];

        for ($minute = 120; $minute < 183; $minute++) {
            $record = $record->decide(self::observation($present, 0), self::START + 60 * $minute)->told;
        }

        foreach ($record->causes as $key => $cause) {
            $open[$key] = $cause->state->value;
        }

        self::assertEqualsCanonicalizing(array_fill_keys(array_keys($present), 'open'), $open);
    }

    /** The message was sent, and then the process was killed. */
    #[Test]
    #[DataProvider('days')]
    public function a_kill_before_the_record_sends_a_message_twice_and_loses_no_end(int $seed): void
    {
        $random = new Randomizer(new Mt19937($seed));
        $record = new ChannelRecord;
        $present = $open = $times = $unknown = [];

        for ($minute = 0; $minute < self::MINUTES; $minute++) {
            $now = self::START + 60 * $minute;
            $isLast = $minute > self::MINUTES - 10;
            $present = $isLast ? [] : self::change($present, $random);
            $record = self::stored($record);

            if ($record->isClaimed($now)) {
                continue;
            }

            $decision = $record->decide(self::observation($present, 0), $now);

            foreach ($decision->raised as $alert) {
                $key = $alert->key();
                $open[$key] = true;
                self::assertTrue(isset($unknown[$key]) || $now - ($times[$key] ?? 0) >= 3600, $key);
                $times[$key] = $now;
                unset($unknown[$key]);
            }

            $open = array_diff_key($open, array_flip(array_map(
                static fn (ResolvedAlert $one): string => "{$one->cause->value}:".($one->bucket ?? $one->subject),
                $decision->resolved,
            )));
            $isKilled = ! $isLast && ! $decision->isSilent() && $random->getInt(0, 2) === 0;

            foreach ($isKilled ? $decision->raised : [] as $alert) {
                $unknown[$alert->key()] = true;
            }

            $record = $isKilled ? $decision->untold->claimed($now, $decision->raised) : $decision->told;
        }

        self::assertNotSame([], $times);
        self::assertSame([], $open, 'The end of a problem was not told.');
    }

    #[Test]
    public function a_clock_that_was_set_back_silences_nothing(): void
    {
        $seen = self::observation(['bucket_stopped:a' => true], 0);
        $told = self::reported($seen);
        $record = $told->decide(new Observation, self::START + 60)->told;
        $yesterday = self::START - 86_400;

        $again = $record->decide($seen, $yesterday)->told;
        self::assertCount(1, $again->decide($seen, $yesterday + 60)->raised);
        self::assertCount(0, $record->decide($seen, self::START + 50)->raised);
        $claimed = $record->claimed(self::START);
        self::assertTrue($claimed->isClaimed(self::START + 60));
        self::assertFalse($claimed->isClaimed($yesterday));
        self::assertFalse($claimed->isClaimed(self::START + ChannelRecord::CLAIM_SECONDS));
    }

    #[Test]
    public function what_cannot_be_seen_now_is_not_over(): void
    {
        $seen = self::observation(['bucket_stopped:a' => true, 'node_silent:node x' => true], 0);
        $record = self::reported($seen);
        $blind = new Observation(knowsNodes: false, unknownBuckets: ['a']);
        $later = $record->decide($blind, self::START + 60);
        self::assertSame([], $later->resolved);
        self::assertCount(2, $later->told->decide(new Observation, self::START + 120)->resolved);

        // Another node reports it from now on.
        $handed = $record->decide(new Observation(elsewhere: ['node_silent:node x']), self::START + 60);
        self::assertSame(
            [AlertCause::BucketStopped],
            array_map(static fn (ResolvedAlert $alert): AlertCause => $alert->cause, $handed->resolved),
        );
    }

    /** By the second check that has seen it. */
    private static function reported(Observation $seen): ChannelRecord
    {
        return (new ChannelRecord)->decide($seen, self::START - 600)->told->decide($seen, self::START)->told;
    }

    /**
     * @param array<string, true> $present
     * @return array<string, true>
     */
    private static function change(array $present, Randomizer $random): array
    {
        foreach (array_keys(self::alerts()) as $key) {
            if ($random->getInt(0, 12) === 0) {
                if (isset($present[$key])) {
                    unset($present[$key]);
                } else {
                    $present[$key] = true;
                }
            }
        }

        return $present;
    }

    /** @param array<string, true> $present */
    private static function observation(array $present, int $dead): Observation
    {
        return new Observation(
            array_intersect_key(self::alerts(), $present),
            ['dead_letters:a' => new LetterCount(1 + $dead, 1 + $dead)],
        );
    }

    /** @return array<string, Alert> */
    private static function alerts(): array
    {
        $alerts = [];

        foreach ([
            [AlertCause::BucketStopped, 'a'], [AlertCause::BucketStopped, 'b'], [AlertCause::DeadLetters, 'a'],
            [AlertCause::NothingDelivers, 'a'], [AlertCause::DiskShort, null], [AlertCause::NodeSilent, null],
        ] as [$cause, $bucket]) {
            $subject = $bucket ?? ($cause === AlertCause::NodeSilent ? 'node x' : '/var/spool');
            $alert = new Alert($cause, $subject, 'seen', 'fix', $bucket);
            $alerts[$alert->key()] = $alert;
        }

        return $alerts;
    }

    /** As the next process reads it. */
    private static function stored(ChannelRecord $record): ChannelRecord
    {
        return ChannelRecord::fromArray(json_decode((string) json_encode($record->toArray()), true));
    }

    /**
     * @param array<string, true> $open
     * @param array<string, true> $present
     * @return array<string, true>
     */
    private static function withoutEnded(Decision $decision, array $open, array $present): array
    {
        if ($decision->resolved === []) {
            return $open;
        }

        self::assertSame([], $decision->raised);

        foreach ($decision->resolved as $one) {
            $key = "{$one->cause->value}:".($one->bucket ?? $one->subject);
            self::assertArrayHasKey($key, $open, 'It was told before.');
            self::assertArrayNotHasKey($key, $present, 'It is gone.');
            unset($open[$key]);
        }

        self::assertSame([], array_diff(array_keys($open), ['dead_letters:a']), 'No other problem is left.');

        return $open;
    }
}
