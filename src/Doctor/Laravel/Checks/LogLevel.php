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
        $app = $facts->get(Application::class);

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}")];
        }

        $findings = [];

        foreach ($this->channels($app, $app->text('logging.default')) as $channel) {
            $key = "logging.channels.{$channel}.level";
            $level = $app->has($key) ? $app->text($key) : 'debug';
            $evidence = [$app->evidence('logging.default'), $app->evidence($key)];

            $findings[] = (strtolower($level) !== 'debug'
                ? Finding::pass("it takes {$level} and above", ...$evidence)
                : Finding::warn(
                    "The channel '{$channel}' takes everything from debug on.",
                    $evidence,
                    'Requests wait for the disk to write a log that is not read.',
                    $app->setting(
                        'LOG_LEVEL',
                        'warning',
                        'Let it take warnings and what is worse.',
                        'Set it to debug again.',
                    ),
                ))->about("channel {$channel}");
        }

        return $findings;
    }

    /**
     * @param list<string> $seen a stack may name itself
     * @return list<string> those that write
     */
    private function channels(Application $app, string $name, array $seen = []): array
    {
        if (
            in_array($name, $seen, true)
            || in_array($app->text("logging.channels.{$name}.driver"), ['', 'null'], true)
        ) {
            return [];
        }

        if ($app->text("logging.channels.{$name}.driver") !== 'stack') {
            return [$name];
        }

        $channels = [];

        foreach ((array) $app->value("logging.channels.{$name}.channels") as $channel) {
            array_push(
                $channels,
                ...$this->channels($app, is_string($channel) ? trim($channel) : '', [...$seen, $name]),
            );
        }

        return array_values(array_unique($channels));
    }
}
