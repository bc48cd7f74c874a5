<?php

declare(strict_types=1);

namespace Headroom\Doctor\Opcache\Checks;

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
        $evidence = [
            $runtime->observed('Zend OPcache', $isLoaded ? 'loaded' : 'not loaded'),
            $runtime->evidence('opcache.enable'),
        ];

        return $isLoaded && $runtime->ini('opcache.enable')?->truth() === true
            ? Finding::pass('the processes cache compiled files', ...$evidence)
            : Finding::fail(
                $isLoaded ? 'opcache is loaded, but off.' : 'opcache is not loaded.',
                $evidence,
                'Each request spends most of its CPU time on compiling files that were compiled a moment ago.',
                $isLoaded ? self::switchedOn($pool) : self::installed(),
            )->observed();
    }

    private static function switchedOn(FpmPool $pool): Fix
    {
        return new Fix('Enable it.', [PoolEdit::of($pool, 'php_admin_value[opcache.enable]', '1')]);
    }

    private static function installed(): Fix
    {
        return new Fix(
            'Install it, then restart PHP-FPM.',
            commands: ['sudo apt install php-opcache', 'sudo phpenmod opcache'],
            rollback: 'Run `sudo phpdismod opcache`, then restart PHP-FPM.',
        );
    }
}
