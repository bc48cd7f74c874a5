<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class OpcacheOff implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $runtime = $pool->runtime();
        $isLoaded = $runtime->hasExtension('zend opcache');
        $enabled = $runtime->ini('opcache.enable');
        $evidence = [
            new Evidence('Zend OPcache', $isLoaded ? 'loaded' : 'not loaded', $runtime->source),
            new Evidence('opcache.enable', $enabled === null ? 'not there' : $enabled->value, $runtime->source),
        ];

        if ($isLoaded && $enabled?->truth() === true) {
            return Finding::pass('its processes keep compiled files', ...$evidence);
        }

        return Finding::fail(
            $isLoaded ? 'opcache is loaded, and off.' : 'opcache is not loaded.',
            $evidence,
            'Most of the CPU time of a request goes to compiling what was compiled a moment ago.',
            $isLoaded
                ? new Fix(
                    'Switch it on.',
                    [PoolEdit::to($pool->settings, 'php_admin_value[opcache.enable]', '1')],
                    [$pool->reload()],
                    'Take the line back and reload PHP-FPM.',
                    'headroom doctor --only=O1',
                )
                : new Fix(
                    'Install it and restart PHP-FPM.',
                    [],
                    ['sudo apt install php-opcache', 'sudo phpenmod opcache'],
                    'sudo phpdismod opcache',
                    'headroom doctor --only=O1',
                ),
        )->restingOn(Confidence::Observed);
    }
}
