<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\IniEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Fpm\Runtime\UnreadableRuntime;

/**
 * @internal
 */
final readonly class JitBufferFull implements PoolCheck
{
    private const FREE = 0.05;

    private const LEAST_MEGABYTES = 64;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $status = $runtime->opcacheStatus();

        if ($status->jitOn !== true) {
            return Finding::skipped($status->jitOn === null ? 'this PHP reports no JIT' : 'the JIT is off');
        }

        $size = $status->jitBufferBytes ?? 0;
        $free = $status->jitBufferFreeBytes;

        if ($free === null || $size === 0) {
            throw UnreadableRuntime::noFigure($runtime->source, 'the buffer of its JIT');
        }

        $evidence = [
            $runtime->observed('free', sprintf('%d of %d KB', intdiv($free, 1024), intdiv($size, 1024))),
            $runtime->evidence('opcache.jit'),
        ];
        $more = max(self::LEAST_MEGABYTES, 2 * intdiv($size, 1_048_576));

        return ($free >= self::FREE * $size
            ? Finding::pass('the buffer of the JIT has room', ...$evidence)
            : Finding::warn(
                'The buffer of the JIT is full.',
                $evidence,
                new Fix(changes: [IniEdit::to($pool, 'opcache.jit_buffer_size', "{$more}M")]),
            ))->observed();
    }
}
