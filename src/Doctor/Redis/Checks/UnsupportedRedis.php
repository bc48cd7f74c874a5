<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Versions\EndOfLifeAssessment;

/**
 * @internal
 */
final readonly class UnsupportedRedis implements RedisCheck
{
    public function examine(RedisServer $server, Facts $facts): Finding
    {
        $product = $server->product();
        $maker = $server->maker();
        $version = $server->field("{$product}_version");

        if ($maker !== null) {
            throw FactUnavailable::because(
                "This is {$maker}, which has its own releases and claims to be {$product} {$version}.",
                $server->cli('info server'),
            );
        }

        $support = new EndOfLifeAssessment($product, ucfirst($product));

        return $support->of(
            $version,
            $server->shown("{$product}_version"),
            $support->packed($server->program(), $facts),
            $facts,
        );
    }
}
