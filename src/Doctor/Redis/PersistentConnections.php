<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Fix;
use Headroom\Doctor\ManualChange;

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

    private const UNDO = 'Restore the settings, run the same commands, and reload PHP-FPM.';

    /** @param string $first of the connections that are not persistent */
    public static function fix(Application $app, RedisUsage $redis, string $first): Fix
    {
        if ($redis->persistenceKey($first) !== self::ALL) {
            $value = $app->isAtLeast(self::SINCE) ? "env('REDIS_PERSISTENT', true)" : 'true';

            return new Fix(
                changes: [new ManualChange(
                    "Put 'persistent' => {$value} into the section redis.options of {$app->file('database')}.",
                )],
                commands: $app->recache(),
                rollback: self::UNDO,
            );
        }

        $fix = $app->setting('REDIS_PERSISTENT', 'true', '', self::UNDO);
        $databases = self::databases($redis);

        // If the file reads no variable, the value itself goes into the file.
        return $fix->edits === []
            ? new Fix('', $app->changes([...$databases, self::ALL => 'true']), $app->recache(), self::UNDO)
            : $fix->after($app->changes($databases));
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
