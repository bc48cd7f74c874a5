<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\AccessLog;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class UnbufferedLog implements NginxCheck
{
    private const TEXT = 'Write 64 kB at a time, after 5 seconds at the latest: buffer=64k flush=5s.';

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->accessLogs() as $log) {
            if (! $log->isLocalFile()) {
                continue;
            }

            $evidence = new Evidence(
                'access_log',
                $log->said === null ? "{$log->path} {$log->format}" : implode(' ', $log->said->arguments),
                $log->said?->where() ?? 'default of nginx',
            );
            $isPlain = ! $log->hasVariablesInPath() && $log->bufferBytes !== null;

            $findings[] = ($isPlain ? Finding::pass('the log is written in blocks', $evidence) : Finding::warn(
                $log->hasVariablesInPath() ? 'The path of the log has a variable.' : 'Each line is a write of its own.',
                [$evidence],
                'Each request pays for a write, or for opening a file.',
                self::fix($nginx, $log),
            ))->about($log->path);
        }

        return $findings;
    }

    private static function fix(NginxServer $nginx, AccessLog $log): Fix
    {
        return match (true) {
            $log->said === null => new Fix(
                self::TEXT,
                [new ManualChange('Add an access_log to http, with the path that nginx -V prints.')],
                [$nginx->reload()],
            ),
            $log->hasVariablesInPath() => new Fix(
                'Write one log, with the variable in its lines, and a buffer: buffer=64k flush=5s.',
                [new ManualChange(
                    "Change `{$log->said->text()};` in {$log->said->where()} to one path without a variable.",
                )],
                [$nginx->reload()],
            ),
            default => $nginx->fix(self::TEXT, NginxChange::to($log->said, self::buffered($log->said))),
        };
    }

    private static function buffered(Directive $said): string
    {
        $format = count($said->arguments) === 1 ? ['combined'] : [];

        return NginxChange::written('access_log', [...$said->arguments, ...$format, 'buffer=64k', 'flush=5s']);
    }
}
