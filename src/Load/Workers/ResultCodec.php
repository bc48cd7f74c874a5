<?php

declare(strict_types=1);

namespace Headroom\Load\Workers;

use Headroom\Load\Failure;
use Headroom\Load\FailureCount;
use Headroom\Load\Histogram;
use Headroom\Load\Journeys;
use Headroom\Load\Measurement;
use Headroom\Load\Plan;
use Headroom\Load\Progress;
use Headroom\Load\ReplayedLog;
use Headroom\Load\Slot;
use Headroom\Load\StepTally;
use Headroom\Load\Tally;
use Headroom\Load\Timeline;
use Headroom\Load\UnableToLoad;

/**
 * Encodes the progress and the result of a worker for its supervisor, and decodes them there.
 *
 * @internal
 */
final readonly class ResultCodec
{
    /** Counters that are summed over the workers. */
    private const COUNTS = ['bytes', 'connections', 'resent', 'unfinished', 'late', 'dropped'];

    /** @return array<string, mixed> */
    public static function encodeProgress(Progress $progress): array
    {
        return [
            'seconds' => $progress->seconds, 'sent' => $progress->sent, 'succeeded' => $progress->succeeded,
            'errors' => $progress->errors,
            'in_flight' => $progress->inFlight, 'per_second' => $progress->perSecond, 'p95' => $progress->p95,
            'recent' => $progress->recent()?->state(),
        ];
    }

    /** @throws UnableToLoad */
    public static function decodeProgress(MessageReader $members): Progress
    {
        $recent = $members->optional('recent');

        return new Progress(
            $members->float('seconds'),
            $members->int('sent'),
            $members->int('succeeded'),
            $members->int('errors'),
            $members->int('in_flight'),
            $members->float('per_second'),
            $members->optionalInt('p95'),
            $recent === null ? null : self::histogram($recent),
        );
    }

    /** @return array<string, mixed> */
    public static function encodeMeasurement(Measurement $measured): array
    {
        return [
            'seconds' => $measured->seconds,
            'cpu' => $measured->cpuSeconds,
            'stopped' => $measured->stoppedEarly,
            'started' => $measured->startedNanos,
            'tally' => self::encodeTally($measured->tally),
        ];
    }

    /** @throws UnableToLoad */
    public static function decodeMeasurement(MessageReader $members, Plan $plan): Measurement
    {
        return new Measurement(
            self::tally($members->at('tally'), $plan),
            $members->float('seconds'),
            $members->float('cpu'),
            $members->isTrue('stopped'),
            $members->optionalInt('started'),
        );
    }

    /** @return array<string, mixed> */
    private static function encodeTally(Tally $tally): array
    {
        return [
            'succeeded' => $tally->succeeded->state(), 'http_errors' => $tally->httpErrors->state(),
            'wrong' => $tally->wrong->state(), 'timeouts' => $tally->timeouts->state(),
            'service' => $tally->service?->state(), 'delay' => $tally->delay?->state(),
            'statuses' => $tally->statuses,
            'failures' => array_map(
                static fn (FailureCount $count): array
                    => ['kind' => $count->failure->value, 'count' => $count->count, 'message' => $count->message],
                array_values($tally->failures),
            ),
            'width' => (int) round($tally->timeline->width() * 1e9),
            'slots' => array_map(static fn (Slot $slot): array => [
                'sent' => $slot->sent, 'succeeded' => $slot->succeeded, 'errors' => $slot->errors,
                'in_flight' => $slot->inFlight, 'latency' => $slot->latency->state(),
            ], $tally->timeline->slots()),
            'server' => $tally->server,
            'location' => $tally->location,
            'journeys' => $tally->journeys === null ? null : self::encodeJourneys($tally->journeys),
            'log' => $tally->log === null ? null : [
                'lines' => $tally->log->lines, 'requests' => $tally->log->requests, 'left_out' => $tally->log->leftOut,
                'unreadable' => $tally->log->unreadable, 'trouble' => $tally->log->trouble,
            ],
            'bytes' => $tally->bytes, 'connections' => $tally->connections, 'resent' => $tally->resent,
            'unfinished' => $tally->unfinished, 'late' => $tally->late, 'dropped' => $tally->dropped,
        ];
    }

    private static function tally(MessageReader $members, Plan $plan): Tally
    {
        $slots = array_map(self::slot(...), $members->items('slots'));
        $tally = new Tally($plan, Timeline::of($members->int('width'), $slots === [] ? [new Slot] : $slots));
        $tally->succeeded->absorb(self::histogram($members->at('succeeded')));
        $tally->httpErrors->absorb(self::histogram($members->at('http_errors')));
        $tally->wrong->absorb(self::histogram($members->at('wrong')));
        $tally->timeouts->absorb(self::histogram($members->at('timeouts')));
        $tally->service?->absorb(self::histogram($members->at('service')));
        $tally->delay?->absorb(self::histogram($members->at('delay')));
        $tally->statuses = $members->numbered('statuses');

        foreach ($members->items('failures') as $failure) {
            $kind = Failure::tryFrom($failure->text('kind')) ?? throw UnableToLoad::garbled();
            $tally->failures[$kind->value] = new FailureCount($kind, $failure->int('count'), $failure->text('message'));
        }

        foreach (self::COUNTS as $count) {
            $tally->{$count} = $members->int($count);
        }

        $journeys = $members->optional('journeys');
        $log = $members->optional('log');
        $tally->server = $members->optionalText('server');
        $tally->location = $members->optionalText('location');
        $tally->journeys = $journeys === null ? null : self::journeys($journeys);
        $tally->log = $log === null ? null : self::log($log);

        return $tally;
    }

    private static function histogram(MessageReader $members): Histogram
    {
        return Histogram::ofState(
            $members->int(0),
            $members->numbered(1),
            $members->int(2),
            $members->int(3),
            $members->int(4),
            $members->int(5),
        );
    }

    private static function slot(MessageReader $members): Slot
    {
        $slot = new Slot($members->int('in_flight'));
        $slot->sent = $members->int('sent');
        $slot->succeeded = $members->int('succeeded');
        $slot->errors = $members->counts('errors');
        $slot->latency = self::histogram($members->at('latency'));

        return $slot;
    }

    /** @return array<string, mixed> */
    private static function encodeJourneys(Journeys $journeys): array
    {
        return [
            'begun' => $journeys->begun, 'completed' => $journeys->completed, 'failed' => $journeys->failed,
            'under_way' => $journeys->underWay,
            'steps' => array_map(static fn (StepTally $step): array => [
                'name' => $step->name, 'sent' => $step->sent, 'succeeded' => $step->succeeded,
                'errors' => $step->errors, 'latency' => $step->latency->state(),
            ], $journeys->steps),
        ];
    }

    private static function journeys(MessageReader $members): Journeys
    {
        $journeys = new Journeys(array_map(self::step(...), $members->items('steps')));
        $journeys->begun = $members->int('begun');
        $journeys->completed = $members->int('completed');
        $journeys->failed = $members->int('failed');
        $journeys->underWay = $members->int('under_way');

        return $journeys;
    }

    private static function step(MessageReader $members): StepTally
    {
        $step = new StepTally($members->text('name'));
        $step->sent = $members->int('sent');
        $step->succeeded = $members->int('succeeded');
        $step->errors = $members->counts('errors');
        $step->latency = self::histogram($members->at('latency'));

        return $step;
    }

    private static function log(MessageReader $members): ReplayedLog
    {
        $log = new ReplayedLog;
        $log->lines = $members->int('lines');
        $log->requests = $members->int('requests');
        $log->leftOut = $members->counts('left_out');
        $log->unreadable = $members->counts('unreadable');
        $log->trouble = $members->optionalText('trouble');

        return $log;
    }
}
