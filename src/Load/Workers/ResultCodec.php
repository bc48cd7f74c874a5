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
 * What a process saw, packed for the way to the one that started it, and unpacked there.
 *
 * @internal
 */
final readonly class ResultCodec
{
    /** Counters that are added up. */
    private const COUNTS = ['bytes', 'connections', 'resent', 'unfinished', 'late', 'dropped'];

    /** @return array<string, mixed> */
    public static function ofProgress(Progress $progress): array
    {
        return [
            'seconds' => $progress->seconds, 'sent' => $progress->sent, 'succeeded' => $progress->succeeded,
            'errors' => $progress->errors,
            'in_flight' => $progress->inFlight, 'per_second' => $progress->perSecond, 'p95' => $progress->p95,
            'recent' => $progress->recent()?->state(),
        ];
    }

    /** @throws UnableToLoad */
    public static function progress(MessageReader $state): Progress
    {
        $recent = $state->optional('recent');

        return new Progress(
            $state->float('seconds'),
            $state->int('sent'),
            $state->int('succeeded'),
            $state->int('errors'),
            $state->int('in_flight'),
            $state->float('per_second'),
            $state->optionalInt('p95'),
            $recent === null ? null : self::histogram($recent),
        );
    }

    /** @return array<string, mixed> */
    public static function ofMeasurement(Measurement $measured): array
    {
        return [
            'seconds' => $measured->seconds,
            'cpu' => $measured->cpuSeconds,
            'stopped' => $measured->stoppedEarly,
            'started' => $measured->startedNanos,
            'tally' => self::ofTally($measured->tally),
        ];
    }

    /** @throws UnableToLoad */
    public static function measurement(MessageReader $state, Plan $plan): Measurement
    {
        return new Measurement(
            self::tally($state->at('tally'), $plan),
            $state->float('seconds'),
            $state->float('cpu'),
            $state->isTrue('stopped'),
            $state->optionalInt('started'),
        );
    }

    /** @return array<string, mixed> */
    private static function ofTally(Tally $tally): array
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
            'journeys' => $tally->journeys === null ? null : self::ofJourneys($tally->journeys),
            'log' => $tally->log === null ? null : [
                'lines' => $tally->log->lines, 'requests' => $tally->log->requests, 'left_out' => $tally->log->leftOut,
                'unreadable' => $tally->log->unreadable, 'trouble' => $tally->log->trouble,
            ],
            'bytes' => $tally->bytes, 'connections' => $tally->connections, 'resent' => $tally->resent,
            'unfinished' => $tally->unfinished, 'late' => $tally->late, 'dropped' => $tally->dropped,
        ];
    }

    private static function tally(MessageReader $state, Plan $plan): Tally
    {
        $slots = array_map(self::slot(...), $state->items('slots'));
        $tally = new Tally($plan, Timeline::of($state->int('width'), $slots === [] ? [new Slot] : $slots));
        $tally->succeeded->absorb(self::histogram($state->at('succeeded')));
        $tally->httpErrors->absorb(self::histogram($state->at('http_errors')));
        $tally->wrong->absorb(self::histogram($state->at('wrong')));
        $tally->timeouts->absorb(self::histogram($state->at('timeouts')));
        $tally->service?->absorb(self::histogram($state->at('service')));
        $tally->delay?->absorb(self::histogram($state->at('delay')));
        $tally->statuses = $state->numbered('statuses');

        foreach ($state->items('failures') as $failure) {
            $kind = Failure::tryFrom($failure->text('kind')) ?? throw UnableToLoad::garbled();
            $tally->failures[$kind->value] = new FailureCount($kind, $failure->int('count'), $failure->text('message'));
        }

        foreach (self::COUNTS as $count) {
            $tally->{$count} = $state->int($count);
        }

        $journeys = $state->optional('journeys');
        $log = $state->optional('log');
        $tally->server = $state->optionalText('server');
        $tally->location = $state->optionalText('location');
        $tally->journeys = $journeys === null ? null : self::journeys($journeys);
        $tally->log = $log === null ? null : self::log($log);

        return $tally;
    }

    private static function histogram(MessageReader $state): Histogram
    {
        return Histogram::ofState(
            $state->int(0),
            $state->numbered(1),
            $state->int(2),
            $state->int(3),
            $state->int(4),
            $state->int(5),
        );
    }

    private static function slot(MessageReader $state): Slot
    {
        $slot = new Slot($state->int('in_flight'));
        $slot->sent = $state->int('sent');
        $slot->succeeded = $state->int('succeeded');
        $slot->errors = $state->counts('errors');
        $slot->latency = self::histogram($state->at('latency'));

        return $slot;
    }

    /** @return array<string, mixed> */
    private static function ofJourneys(Journeys $journeys): array
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

    private static function journeys(MessageReader $state): Journeys
    {
        $journeys = new Journeys(array_map(self::step(...), $state->items('steps')));
        $journeys->begun = $state->int('begun');
        $journeys->completed = $state->int('completed');
        $journeys->failed = $state->int('failed');
        $journeys->underWay = $state->int('under_way');

        return $journeys;
    }

    private static function step(MessageReader $state): StepTally
    {
        $step = new StepTally($state->text('name'));
        $step->sent = $state->int('sent');
        $step->succeeded = $state->int('succeeded');
        $step->errors = $state->counts('errors');
        $step->latency = self::histogram($state->at('latency'));

        return $step;
    }

    private static function log(MessageReader $state): ReplayedLog
    {
        $log = new ReplayedLog;
        $log->lines = $state->int('lines');
        $log->requests = $state->int('requests');
        $log->leftOut = $state->counts('left_out');
        $log->unreadable = $state->counts('unreadable');
        $log->trouble = $state->optionalText('trouble');

        return $log;
    }
}
