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
                $isLoaded ? new Fix(changes: [PoolEdit::of($pool, 'php_admin_value[opcache.enable]', '1')]) : new Fix(
                    'Install it, then restart PHP-FPM.',
                    commands: ['sudo apt install php-opcache', 'sudo phpenmod opcache'],
                    rollback: 'Run `sudo phpdismod opcache`, then restart PHP-FPM.',
                ),
            )->observed();
    }
}
