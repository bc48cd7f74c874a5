<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\Directives\AccessLog;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class UnbufferedLog implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        foreach ($nginx->facts->accessLogs() as $log) {
            $isByPath = $log->hasVariablesInPath();

            if (! $log->isLocalFile()) {
                continue;
            }

            yield (! $isByPath && $log->bufferBytes !== null
                ? Finding::pass('the log is written in blocks', $log->evidence())
                : Finding::warn(
                    $isByPath ? 'The path of the log has a variable.' : 'Each line is a write of its own.',
                    [$log->evidence()],
                    self::fix($nginx, $log),
                ))->about($log->path);
        }
    }

    private static function fix(NginxServer $nginx, AccessLog $log): Fix
    {
        $directive = $log->directive;

        if ($directive === null || $log->hasVariablesInPath()) {
            return new Fix(changes: [new ManualChange(
                $directive === null
                    ? 'Add an access_log to http, with the path that nginx -V prints.'
                    : "Change `{$directive->text()};` in {$directive->where()} to one path without a variable,"
                        .' and write the variable into the lines of the log.',
            )], commands: [$nginx->reload()]);
        }

        $format = count($directive->arguments) === 1 ? ['combined'] : [];
        $arguments = [...$directive->arguments, ...$format, 'buffer=64k', 'flush=5s'];

        return $nginx->fix([NginxChange::arguments($directive, $arguments)]);
    }
}
