<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Directives\ErrorLogFile;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\Units;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class ResponsesToDisk implements NginxCheck
{
    private const MANY = 10;

    /** Of a response in memory. */
    private const BYTES = 1_048_576;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $logs = [];
        $passes = [];

        foreach ($nginx->facts->passes() as $pass) {
            $place = $pass->directive->parent ?? $pass->directive;

            // Without buffering nginx writes no file.
            foreach ($pass->buffering->is('on') ? $nginx->errorLogs($place) : [] as $log) {
                $logs[$log->path] ??= $log;
                $passes[$log->path][] = $pass;
            }
        }

        foreach ($logs as $path => $log) {
            yield Finding::from(static fn (): Finding => self::ofLog($nginx, $log, $passes[$path]))->about($path);
        }
    }

    /** @param non-empty-list<FastcgiPass> $passes */
    private static function ofLog(NginxServer $nginx, ErrorLogFile $log, array $passes): Finding
    {
        $spills = $nginx->spills($log);
        $count = "{$spills->count}, by the workers that run now";
        $evidence = [
            new Evidence('responses through a file', $count, "the last lines of {$log->path}"),
            $nginx->evidence($passes[0]->buffers),
        ];

        return ($spills->count < self::MANY
            ? Finding::pass('responses fit into the buffers', ...$evidence)
            : Finding::warn(
                "{$spills->count} responses did not fit into the buffers, the last one at {$spills->last}.",
                [...$evidence, ...$spills->evidence($log)],
                $nginx->fix(array_map(
                    static fn (FastcgiPass $pass): ?NginxChange => self::larger($nginx, $pass),
                    $passes,
                )),
            ))->observed();
    }

    /** More buffers of the same size: other settings depend on the size of one. */
    private static function larger(NginxServer $nginx, FastcgiPass $pass): ?NginxChange
    {
        [$number, $size] = [...$pass->buffers->arguments ?? [], '', ''];
        $count = Units::number($number);
        $bytes = Units::bytes($size);
        $enough = $bytes === null || $bytes < 1 ? null : (int) ceil(self::BYTES / $bytes);

        return $count === null || $enough === null
            ? null
            : $nginx->set($pass->buffers, $pass->directive, max(2 * $count, $enough)." {$size}");
    }
}
