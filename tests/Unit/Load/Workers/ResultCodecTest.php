<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Workers;

use Headroom\Load\ExecutionSegment;
use Headroom\Load\Failure;
use Headroom\Load\Metrics\FailedCheck;
use Headroom\Load\Metrics\Iterations;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Metrics\Metrics;
use Headroom\Load\Metrics\PartialResult;
use Headroom\Load\Metrics\StepMetrics;
use Headroom\Load\Plan;
use Headroom\Load\Stages;
use Headroom\Load\UnableToLoad;
use Headroom\Load\Workers\MessageReader;
use Headroom\Load\Workers\MessageType;
use Headroom\Load\Workers\ResultCodec;
use Headroom\Process\Supervision\Message;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * The merged results of several processes equal the result of one.
 */
final class ResultCodecTest extends TestCase
{
    #[Test]
    public function parts_put_together_are_as_if_one_had_seen_all(): void
    {
        $plan = Plan::arrivalRate(Stages::constant(10.0, 100.0));
        $whole = self::tally($plan);
        $parts = [self::tally($plan), self::tally($plan), self::tally($plan)];
        $random = new Randomizer(new Mt19937(7));

        for ($i = 0; $i < 3_000; $i++) {
            // After 30 of 99 seconds one part sees no more: its slots stay narrow.
            $nanos = $i * 33_000_000;
            $part = $parts[$nanos < 30_000_000_000 ? $i % 3 : $i % 2];
            [$micros, $waited] = [(int) (1_000 * 1.001 ** $random->getInt(0, 9_000)), $random->getInt(0, 20_000)];
            $kind = $random->getInt(0, 9);

            foreach ([$whole, $part] as $tally) {
                self::record($tally, $nanos, $kind, $micros, $waited);
            }
        }

        $result = LoadResult::of(
            $plan,
            array_map(
                static fn (Metrics $part): PartialResult
                    => self::sent(new PartialResult($part, 99.0, 1.0, false), $plan),
                $parts,
            ),
        );
        $expected = LoadResult::of($plan, [new PartialResult($whole, 99.0, 3.0, false)]);

        self::assertEquals(self::comparable($expected), self::comparable($result));
        self::assertGreaterThan(100, count($result->timeline->intervals()));
    }

    #[Test]
    public function shares_add_up_and_number_everything_once(): void
    {
        foreach ([[1, 1], [10, 3], [2, 5], [64, 64], [0, 4], [1_001, 7]] as [$whole, $processes]) {
            $numbers = [];

            for ($index = 0; $index < $processes; $index++) {
                $share = ExecutionSegment::of($index, $processes);

                for ($own = 0; $own < $share->count($whole); $own++) {
                    $numbers[] = $share->number($own);
                }
            }

            sort($numbers);
            self::assertSame($whole === 0 ? [] : range(0, $whole - 1), $numbers);
        }
    }

    #[Test]
    public function a_message_with_a_missing_part_is_refused(): void
    {
        $plan = Plan::requests(1);
        $encoded = ResultCodec::encodeMeasurement(new PartialResult(new Metrics($plan), 1.0, 1.0, false));
        self::assertIsArray($encoded['tally']);
        unset($encoded['tally']['unfinished']);

        $this->expectException(UnableToLoad::class);
        ResultCodec::decodeMeasurement(MessageReader::of($encoded), $plan);
    }

    private static function tally(Plan $plan): Metrics
    {
        $tally = new Metrics($plan);
        $tally->iterations = new Iterations([new StepMetrics('one')]);

        return $tally;
    }

    private static function record(Metrics $tally, int $nanos, int $kind, int $micros, int $waited): void
    {
        $tally->advance($nanos, 0);
        $tally->started(0, $waited);
        $journeys = $tally->iterations;
        self::assertNotNull($journeys);
        $step = $journeys->steps[0];
        $step->sent++;
        $step->latency->record($micros);
        $journeys->begun++;
        $journeys->mostActive++;
        $tally->bytes += $micros;
        $tally->unfinished += $kind === 9 ? 1 : 0;

        match ($kind) {
            0 => $tally->failed(Failure::TimeoutWaiting, 'message', $micros, $waited),
            1 => $tally->responded(503, $micros, $waited),
            2 => $tally->responded(200, $micros, $waited, FailedCheck::unexpectedBody('the body')),
            default => $tally->responded(200, $micros, $waited),
        };
    }

    /** As it comes out of a pipe. */
    private static function sent(PartialResult $measured, Plan $plan): PartialResult
    {
        $message = Message::parse(rtrim(
            (new Message(MessageType::Result->value, ResultCodec::encodeMeasurement($measured)))->line(),
            "\n",
        ));
        self::assertNotNull($message);

        return ResultCodec::decodeMeasurement(MessageReader::of($message->content), $plan);
    }

    /** @return array<string, mixed> */
    private static function comparable(LoadResult $result): array
    {
        $array = $result->toArray();
        // Of the busiest process; the sum is rounded elsewhere.
        unset($array['client']);

        return $array + ['under_way' => $result->iterations?->mostActive];
    }
}
