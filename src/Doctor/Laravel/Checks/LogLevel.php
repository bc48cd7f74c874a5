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
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();

        foreach (self::channels($app, $app->text('logging.default')) as $channel) {
            $key = "logging.channels.{$channel}.level";
            // Laravel logs everything if a channel names no level.
            $level = $app->has($key) ? $app->text($key) : 'debug';
            $evidence = [$app->evidence('logging.default'), $app->evidence($key)];

            yield (strtolower($level) !== 'debug'
                ? Finding::pass("the channel logs from {$level} on", ...$evidence)
                : Finding::warn(
                    "The channel '{$channel}' logs everything from debug on.",
                    $evidence,
                    $app->setting('LOG_LEVEL', 'warning'),
                ))->about("channel {$channel}");
        }
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

        $channels = array_map(
            static fn (mixed $channel): array
                => self::channels($app, is_string($channel) ? trim($channel) : '', [...$seen, $name]),
            array_values((array) $app->value("logging.channels.{$name}.channels")),
        );

        return array_values(array_unique(array_merge(...$channels)));
    }
}
