<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Metrics;

use Headroom\Load\Failure;
use Headroom\Load\Metrics\ClientLimit;
use Headroom\Load\Metrics\Iterations;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Metrics\Metrics;
use Headroom\Load\Metrics\PartialResult;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Stages;
use Headroom\Load\Statuses;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class LoadResultTest extends TestCase
{
    #[Test]
    public function every_way_to_end_is_in_one_sum(): void
    {
        $result = self::summed(self::tally());

        self::assertSame(
            [3, 2, 2, 1, 1],
            array_map(
                $result->count(...),
                [Outcome::Succeeded, Outcome::HttpError, Outcome::Timeout, Outcome::ConnectError, Outcome::OtherError],
            ),
        );
        self::assertSame(9, $result->finished());
        self::assertSame(4, $result->unfinished);
        self::assertSame(13, $result->sent());
    }

    #[Test]
    public function every_failure_has_an_outcome_words_and_a_place_in_the_sum(): void
    {
        $tally = new Metrics(Plan::requests(1));

        foreach (Failure::cases() as $failure) {
            self::assertNotSame('', $failure->label());
            $tally->failed($failure, 'message', 10);
        }

        self::assertSame(count(Failure::cases()), self::summed($tally)->sent());
        self::assertCount(
            count(Failure::cases()),
            array_unique(array_map(static fn (Failure $failure): string => $failure->label(), Failure::cases())),
        );
    }

    #[Test]
    public function rates_count_answers_and_not_failures(): void
    {
        $result = self::summed(self::tally());

        self::assertSame(2.5, $result->requestsPerSecond());
        self::assertSame(1.5, $result->succeededPerSecond());
    }

    #[Test]
    public function response_times_are_told_without_and_with_errors_and_timeouts(): void
    {
        $result = self::summed(self::tally());

        self::assertSame([3, 300], [$result->latencySucceeded()->count(), $result->latencySucceeded()->max()]);
        self::assertSame(
            [5, 5, 300],
            [$result->latency()->count(), $result->latency()->min(), $result->latency()->max()],
        );
        self::assertSame(
            [7, 5, 9_000],
            [
                $result->latencyWithTimeouts()->count(),
                $result->latencyWithTimeouts()->min(),
                $result->latencyWithTimeouts()->max(),
            ],
        );
    }

    #[Test]
    public function the_lowest_failing_status_is_the_plans(): void
    {
        $tally = new Metrics(Plan::requests(1, errorStatus: Statuses::parse('error-status', '5xx')));

        foreach ([200, 404, 499, 500, 503] as $status) {
            $tally->responded($status, 1);
        }

        self::assertSame([3, 2], [self::summed($tally)->succeeded(), self::summed($tally)->count(Outcome::HttpError)]);
    }

    #[Test]
    public function failures_are_grouped_with_the_first_message_and_the_most_frequent_first(): void
    {
        $failures = self::summed(self::tally())->failures;

        self::assertSame(Failure::TimeoutWaiting, $failures[0]->failure);
        self::assertSame([2, 'first'], [$failures[0]->count, $failures[0]->message]);
        self::assertCount(3, $failures);
    }

    #[Test]
    public function the_client_is_the_limit_from_nine_tenths_of_a_core(): void
    {
        $limited = static fn (float $seconds, float $cpu): bool => LoadResult::of(
            Plan::requests(1),
            [new PartialResult(new Metrics(Plan::requests(1)), $seconds, $cpu, false)],
        )->isClientLimited();

        self::assertTrue($limited(2.0, 1.8));
        self::assertFalse($limited(2.0, 1.79));
        self::assertFalse($limited(0.05, 0.05));
    }

    #[Test]
    public function the_busiest_of_several_processes_says_whether_the_client_is_the_limit(): void
    {
        $plan = Plan::requests(2);
        $result = LoadResult::of(
            $plan,
            [
                new PartialResult(new Metrics($plan), 1.0, 0.5, false),
                new PartialResult(new Metrics($plan), 1.0, 0.6, false),
            ],
        );

        self::assertFalse($result->isClientLimited());
        self::assertSame([0.6, 1.1], [$result->busiest, $result->cpuShare]);
    }

    #[Test]
    public function a_user_that_pauses_takes_one_of_the_places_of_the_plan(): void
    {
        $limits = static function (int $underWay, int $late): array {
            $plan = Plan::arrivalRate(Stages::constant(100.0, 1.0), concurrency: 50);
            $parts = array_map(static function (int $count) use ($plan, $late): PartialResult {
                $tally = new Metrics($plan);
                $tally->iterations = new Iterations([]);
                $tally->iterations->mostActive = $count;
                $tally->iterations->begun = 50;
                $tally->late = $late;

                // Ten steps each.
                for ($i = 0; $i < 500; $i++) {
                    $tally->responded(200, 1);
                }

                return new PartialResult($tally, 1.0, 0.1, false);
            }, [$underWay, 25]);

            return LoadResult::of($plan, $parts)->clientLimits();
        };

        self::assertSame([], $limits(25, 10));
        self::assertSame([ClientLimit::LateStarts], $limits(24, 10));
        // Two of a hundred iterations are more than one in a hundred, even if their thousand requests were in time.
        self::assertSame([ClientLimit::LateStarts], $limits(24, 1));
        self::assertSame([], $limits(24, 0));
    }

    #[Test]
    public function late_starts_are_the_clients_limit_unless_the_most_were_in_flight(): void
    {
        $limits = static function (int $late, int $inFlight): array {
            $plan = Plan::arrivalRate(Stages::constant(100.0, 1.0), concurrency: 50);
            $tally = new Metrics($plan);

            for ($i = 0; $i < 100; $i++) {
                $tally->started($inFlight, $i < $late ? 20_000 : 0);
                $tally->responded(200, 1);
            }

            return LoadResult::of($plan, [new PartialResult($tally, 1.0, 0.1, false)])->clientLimits();
        };

        self::assertSame([], $limits(1, 10));
        self::assertSame([ClientLimit::LateStarts], $limits(2, 10));
        self::assertSame([], $limits(90, 50));
    }

    #[Test]
    public function a_client_without_ports_is_the_limit(): void
    {
        $tally = self::tally();
        $tally->failed(Failure::NoLocalPort, 'no port', 1);

        self::assertSame([ClientLimit::LocalPorts], self::summed($tally)->clientLimits());
        self::assertTrue(self::summed($tally)->isClientLimited());
    }

    #[Test]
    public function a_run_of_no_requests_has_figures_too(): void
    {
        $result = LoadResult::of(
            Plan::everything(),
            [new PartialResult(new Metrics(Plan::requests(1)), 0.0, 0.0, true)],
        );

        self::assertSame(
            [0, 0.0, 0.0, true],
            [$result->sent(), $result->requestsPerSecond(), $result->cpuShare, $result->stoppedEarly],
        );
        self::assertStringContainsString('"statuses":{}', json_encode($result->toArray(), JSON_THROW_ON_ERROR));
    }

    #[Test]
    public function json_holds_the_documented_keys(): void
    {
        $json = self::summed(self::tally())->toArray();

        self::assertSame([
            'plan', 'stopped_early', 'lost', 'seconds', 'sent', 'succeeded', 'http_errors', 'wrong_answers',
            'timeouts', 'connect_errors', 'other_errors', 'unfinished',
            'resent', 'error_rate', 'requests_per_second', 'succeeded_per_second', 'bytes_received',
            'connections_opened', 'latency_us', 'schedule', 'statuses', 'failures', 'timeline', 'client', 'server',
            'started_monotonic_ns', 'scenario', 'replay',
        ], array_keys($json));
        self::assertEquals((object) [200 => 3, 404 => 1, 500 => 1], $json['statuses']);
        self::assertSame(
            ['kind' => 'timeout_waiting', 'outcome' => 'timeouts', 'count' => 2, 'message' => 'first'],
            is_array($json['failures']) ? $json['failures'][0] : null,
        );
        self::assertSame(['cpu_share' => 0.5, 'limited' => false, 'limits' => []], $json['client']);
    }

    private static function tally(): Metrics
    {
        $tally = new Metrics(Plan::requests(1));

        foreach ([100, 200, 300] as $micros) {
            $tally->responded(200, $micros);
        }

        $tally->responded(500, 5);
        $tally->responded(404, 6);
        $tally->failed(Failure::Refused, 'refused', 1);
        $tally->failed(Failure::TimeoutWaiting, 'first', 8_000);
        $tally->failed(Failure::TimeoutWaiting, 'second', 9_000);
        $tally->failed(Failure::Reset, 'reset', 2);
        $tally->unfinished = 4;

        return $tally;
    }

    private static function summed(Metrics $tally): LoadResult
    {
        return LoadResult::of(Plan::requests(13), [new PartialResult($tally, 2.0, 1.0, false)]);
    }
}
