<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Fpm\HalfConfiguredKeepalive;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class KeepaliveHalfConfigured implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $settings = HalfConfiguredKeepalive::of($nginx);

        foreach ($settings as $setting) {
            $why = $setting->unresolved($nginx);
            $finding = $why !== null ? Finding::unavailable($why) : Finding::warn(
                $setting->text,
                [
                    $nginx->evidence($setting->pass->keepConn),
                    $setting->upstream === null
                        ? new Evidence('keepalive', 'no upstream', $setting->pass->directive->where())
                        : $nginx->evidence($setting->upstream->keepalive),
                ],
                $nginx->fix([$setting->removed]),
            );

            yield $finding->about($setting->name);
        }

        if ($settings === []) {
            yield Finding::pass('both settings keep connections, or neither does');
        }
    }
}
