<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;

/**
 * @internal
 */
final readonly class LogLevel implements Check
{
    /** Laravel logs everything if a channel names no level. */
    private const BY_DEFAULT = 'debug';

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();

        return array_map(
            static fn (string $channel): Finding => self::ofChannel($app, $channel)->about("channel {$channel}"),
            self::channels($app, $app->text('logging.default')),
        );
    }

    private static function ofChannel(Application $app, string $channel): Finding
    {
        $key = "logging.channels.{$channel}.level";
        $level = $app->has($key) ? $app->text($key) : self::BY_DEFAULT;
        $evidence = [$app->evidence('logging.default'), $app->evidence($key)];

        return strtolower($level) !== 'debug'
            ? Finding::pass("the channel logs from {$level} on", ...$evidence)
            : Finding::warn(
                "The channel '{$channel}' logs everything from debug on.",
                $evidence,
                'Requests wait for the disk to write a log that no one reads.',
                $app->setting('LOG_LEVEL', 'warning', 'Log warnings and higher levels.'),
            );
    }

    /**
     * @param list<string> $seen a stack may name itself
     * @return list<string> the channels that write
     */
    private static function channels(Application $app, string $name, array $seen = []): array
    {
        $driver = $app->text("logging.channels.{$name}.driver");

        if (in_array($name, $seen, true) || in_array($driver, ['', 'null'], true)) {
            return [];
        }

        if ($driver !== 'stack') {
            return [$name];
        }

        $channels = [];

        foreach ((array) $app->value("logging.channels.{$name}.channels") as $channel) {
            array_push(
                $channels,
                ...self::channels($app, is_string($channel) ? trim($channel) : '', [...$seen, $name]),
            );
        }

        return array_values(array_unique($channels));
    }
}
