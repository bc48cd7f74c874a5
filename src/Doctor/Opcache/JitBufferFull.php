<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\IniEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class JitBufferFull implements Check
{
    private const FREE = 0.05;

    public function rule(): Rule
    {
        return new Rule(
            'O8',
            'The JIT has no room for more code',
            Severity::Info,
            Layer::Opcache,
            'What the JIT compiles lies in a buffer of opcache.jit_buffer_size, and nothing is ever taken out.'
                .' When it is full the rest runs as without a JIT, while the processes still count and look for hot'
                .' code. Whether the JIT gains anything is a question for a measurement: for pages that wait for Redis'
                .' and SQL it mostly does not. So nothing is said of a JIT that is on or off.',
            'The JIT is on, and less than 5 % of its buffer is free.',
            ['https://www.php.net/manual/en/opcache.configuration.php#ini.opcache.jit-buffer-size'],
            30,
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool): Finding {
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
        });
    }
}
