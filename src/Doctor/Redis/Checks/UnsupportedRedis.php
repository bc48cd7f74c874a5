<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Versions\EndOfSupport;

/**
 * @internal
 */
final readonly class UnsupportedRedis implements Check
{
    public function examine(Facts $facts): iterable
    {
        return $facts->get(RedisServers::class)->each(static function (RedisServer $server) use ($facts): Finding {
            $product = $server->product();
            $other = $server->maker();

            if ($other !== null) {
                throw FactUnavailable::because(
                    "This is {$other}, whose releases end on days of its own; it speaks as {$product} "
                        ."{$server->said("{$product}_version")}.",
                    $server->cli('info server'),
                );
            }

            $version = $server->said("{$product}_version");
            $program = $server->program();
            $support = new EndOfSupport($product, ucfirst($product), 'R13');

            $seen = $server->shown("{$product}_version");

            return $support->of($version, $seen, $support->packed($program, $facts), $facts);
        });
    }
}
