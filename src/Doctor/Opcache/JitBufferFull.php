<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\IniEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class JitBufferFull implements PoolCheck
{
    private const FREE = 0.05;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcache ?? throw FactUnavailable::because(
            "opcache of the pool {$pool->name()} tells nothing: {$runtime->opcacheUnknown}",
            'opcache_get_status() in a script of the pool',
        );

        if ($status->jitOn !== true) {
            return Finding::skipped($status->jitOn === null ? 'this PHP tells of no JIT' : 'the JIT is off');
        }

        $size = $status->jitBufferBytes;
        $free = $status->jitBufferFreeBytes;

        if ($size === null || $free === null || $size === 0) {
            throw FactUnavailable::because(
                "The pool {$pool->name()} does not tell how full the buffer of its JIT is.",
                "opcache_get_status()['jit'] in a script of the pool",
            );
        }

        $evidence = [
            new Evidence(
                'free',
                sprintf('%d of %d KB', intdiv($free, 1024), intdiv($size, 1024)),
                $runtime->source,
            ),
            new Evidence('opcache.jit', $runtime->ini('opcache.jit')->value ?? 'not told', $runtime->source),
        ];
        $megabytes = max(64, 2 * intdiv($size, 1_048_576));

        return $free >= self::FREE * $size
            ? Finding::pass('it has room', ...$evidence)->restingOn(Confidence::Observed)
            : Finding::warn(
                'The buffer of the JIT is full.',
                $evidence,
                'What gets hot from now on is not compiled.',
                new Fix(
                    'Measure with it and without it (opcache.jit=off). Where it gains something, give it room in'
                        ." php.ini: opcache.jit_buffer_size={$megabytes}M. It is read when PHP-FPM starts.",
                    [IniEdit::to($pool, 'opcache.jit_buffer_size', "{$megabytes}M")],
                    [$pool->restart()],
                    'Set it back and restart PHP-FPM.',
                    'headroom doctor --only=O8',
                ),
            )->restingOn(Confidence::Observed);
    }
}
