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
use Headroom\Support\TerminalText;

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
            // Without buffering nginx writes no file.
            foreach ($pass->buffering->is('on') ? $nginx->errorLogs($pass->said->parent ?? $pass->said) : [] as $log) {
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
        $buffers = $passes[0]->buffers;
        $count = "{$spills->count}, by the workers that run now";
        $evidence = [
            new Evidence('responses through a file', $count, "the last lines of {$log->path}"),
            new Evidence('fastcgi_buffers', implode(' ', $buffers->arguments ?? []), $buffers->source),
        ];

        if ($spills->count < self::MANY) {
            return Finding::pass('responses fit into the buffers', ...$evidence)->observed();
        }

        foreach ($spills->uris as $uri => $times) {
            $name = $uri === '' ? 'requests that the log does not name' : TerminalText::name((string) $uri);
            $evidence[] = new Evidence($name, (string) $times, $log->path);
        }

        return Finding::warn(
            "{$spills->count} responses did not fit into the buffers, the last one at {$spills->last}.",
            $evidence,
            'Each of them is written to disk and read again.',
            $nginx->fix(
                'Let nginx keep 1 MB of a response in memory; it uses only what it needs. If these are downloads, send'
                    .' them with X-Accel-Redirect instead.',
                ...array_merge(...array_map(
                    static fn (FastcgiPass $pass): array => self::larger($nginx, $pass),
                    $passes,
                )),
            ),
        )->observed();
    }

    /** @return list<NginxChange> more buffers of the same size: other settings depend on the size of one */
    private static function larger(NginxServer $nginx, FastcgiPass $pass): array
    {
        [$number, $size] = [$pass->buffers->arguments[0] ?? '', $pass->buffers->arguments[1] ?? ''];
        $count = Units::number($number);
        $bytes = Units::bytes($size);

        return $count === null || $bytes === null || $bytes < 1 ? [] : [$nginx->set(
            $pass->buffers,
            $pass->said,
            max(2 * $count, (int) ceil(self::BYTES / $bytes))." {$size}",
        )];
    }
}
