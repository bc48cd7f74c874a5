<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Fix;

/**
 * The settings that keep connections to Redis open between requests.
 *
 * @internal
 */
final readonly class PersistentConnections
{
    /** The version of Laravel whose configuration reads REDIS_PERSISTENT. */
    private const SINCE = '11.43';

    private const ALL = 'database.redis.options.persistent';

    private const TEXT = 'Keep connections open, and name the database of each connection (check R2).';

    private const UNDO = 'Restore the settings, run the same commands, and reload PHP-FPM.';

    /** @param string $first of the connections that are not persistent */
    public static function fix(Application $app, RedisUsage $redis, string $first): Fix
    {
        if ($redis->persistenceKey($first) !== self::ALL) {
            $value = $app->isAtLeast(self::SINCE) ? "env('REDIS_PERSISTENT', true)" : 'true';

            return new Fix(
                self::TEXT." Put 'persistent' => {$value} into the section redis.options of {$app->file('database')}.",
                commands: $app->recache(),
                rollback: self::UNDO,
            );
        }

        $fix = $app->setting('REDIS_PERSISTENT', 'true', self::TEXT, self::UNDO);
        $settings = self::databases($redis);
        $more = $settings === [] ? '' : ' Before that, set '.RedisQueue::phrase($settings).'.';
        // If the file reads no variable, the value itself goes into the file.
        $settings += $fix->edits === [] ? [self::ALL => 'true'] : [];
        $edits = $app->edits($settings);

        return new Fix(
            $fix->text.$more,
            $settings !== [] && $edits === [] ? [] : [...$fix->edits, ...$edits],
            $fix->commands,
            self::UNDO,
        );
    }

    /** @return array<string, string> code by key, of the connections that name no database */
    private static function databases(RedisUsage $redis): array
    {
        $without = array_filter(
            $redis->all(),
            static fn (string $name): bool => $redis->leavesDatabaseTo($name) !== [],
        );

        return array_fill_keys(
            array_map(static fn (string $name): string => "database.redis.{$name}.database", array_values($without)),
            '0',
        );
    }
}
