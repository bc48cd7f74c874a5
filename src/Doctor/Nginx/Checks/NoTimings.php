<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\Directives\AccessLog;
use Headroom\Doctor\Nginx\Directives\LogFormat;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class NoTimings implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $taken = array_column($nginx->facts->logFormats(), 'name');

        foreach ($nginx->facts->accessLogs() as $log) {
            $format = $nginx->facts->logFormat($log->format) ?? throw FactUnavailable::because(
                "The access log {$log->path} has the format '{$log->format}', which no log_format defines.",
                'sudo nginx -T | grep log_format',
            );
            $missing = array_map(static fn (string $name): string => "\${$name}", $format->missingTimings());
            $evidence = [$log->evidence(), $format->evidence()];
            $name = self::free($taken);
            // Each of several logs gets a format of its own, so that you can fix them one by one.
            $taken = $missing === [] ? $taken : [...$taken, $name];

            yield ($missing === []
                ? Finding::pass('the log says how long each request took', ...$evidence)
                : Finding::warn(
                    'The lines of this log lack '.implode(', ', $missing).'.',
                    $evidence,
                    self::fix($nginx, $log, $name),
                ))->about($log->path);
        }
    }

    /** @param string $name of a new format, if no format that the log may use has the times */
    private static function fix(NginxServer $nginx, AccessLog $log, string $name): Fix
    {
        $directive = $log->directive;
        $format = LogFormat::timed($name);
        // nginx knows no format that is defined below the line that uses it.
        $place = $directive?->path()[1] ?? null;

        if ($directive === null || $place === null) {
            $change = "Add `{$format};` and `access_log {$log->path} {$name};` to http, above its servers.";

            return new Fix(changes: [new ManualChange($change)], commands: [$nginx->reload()]);
        }

        $using = static fn (string $name): NginxChange => NginxChange::arguments(
            $directive,
            [$directive->argument(0) ?? '', $name, ...array_slice($directive->arguments, 2)],
        );

        foreach ($nginx->facts->logFormatsAbove($directive) as $known) {
            if ($known->missingTimings() === []) {
                return $nginx->fix([$using($known->name)]);
            }
        }

        return $nginx->fix([NginxChange::before($place, $format), $using($name)]);
    }

    /** @param list<string> $taken */
    private static function free(array $taken): string
    {
        $name = 'timed';

        for ($number = 2; in_array($name, $taken, true); $number++) {
            $name = "timed_{$number}";
        }

        return $name;
    }
}
