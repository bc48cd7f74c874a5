<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Laravel\Queue\Checks\RedisQueueDoesNotBlock;
use Headroom\Doctor\Laravel\Queue\Checks\WorkerLosesConnection;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\Checks\ConnectPerRequest;
use Headroom\Doctor\Redis\Checks\NoTimeouts;

/**
 * The further changes of an application that moves to Redis, so that the move causes no fault of its connection.
 *
 * @internal
 */
final readonly class MoveToRedis
{
    /** @param array<string, string> $settings of the configuration afterwards, by key */
    public static function fix(Facts $facts, Application $app, Fix $fix, array $settings): Fix
    {
        $before = self::found($facts);
        $edits = [];
        $commands = [];
        $ids = [];

        foreach ($fix->edits === [] ? [] : self::found($facts->with($app->with($settings))) as $key => $more) {
            if (isset($before[$key])) {
                continue;
            }

            $ids[] = strtok($key, ' ');

            if (self::areApart([...$fix->edits, ...$edits], $more->edits)) {
                $edits = [...$edits, ...$more->edits];
                $commands = [...$commands, ...$more->commands];
            }
        }

        $sentence = 'Its connection needs what checks '.implode(', ', array_unique($ids)).' ask for.';

        return $ids === [] ? $fix : $fix->with([new ManualChange($sentence), ...$edits], $commands);
    }

    /** @return array<string, Fix> by check and subject */
    private static function found(Facts $facts): array
    {
        $found = [];

        $checks = [
            'R1' => new ConnectPerRequest,
            'R4' => new NoTimeouts,
            'L12' => new RedisQueueDoesNotBlock,
            'R12' => new WorkerLosesConnection,
        ];

        foreach ($checks as $id => $check) {
            foreach (self::findings($check, $facts) as $finding) {
                if ($finding->status->isProblem() && $finding->fix !== null) {
                    $found["{$id} {$finding->subject}"] = $finding->fix;
                }
            }
        }

        return $found;
    }

    /** @return array<Finding> */
    private static function findings(Check $check, Facts $facts): array
    {
        try {
            return [...$check->examine($facts)];
        } catch (NotApplicable|FactUnavailable) {
            return [];
        }
    }

    /**
     * @param list<Edit> $edits
     * @param list<Edit> $more
     */
    private static function areApart(array $edits, array $more): bool
    {
        foreach ($edits as $edit) {
            foreach ($more as $other) {
                if ($edit->old !== null && $edit->file === $other->file && $edit->line === $other->line) {
                    return false;
                }
            }
        }

        return true;
    }
}
