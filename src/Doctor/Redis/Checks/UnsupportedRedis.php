<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;
use Headroom\Doctor\Versions\EndOfSupport;

/**
 * @internal
 */
final readonly class UnsupportedRedis implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'R13',
            'This version of Redis gets no security fixes any more',
            Severity::Medium,
            Layer::Redis,
            'The maker publishes no more fixes for this version, so a fault that becomes known stays open.'
                .' A distribution goes on fixing the version that it ships until the distribution itself ends;'
                .' such a package is judged by the end of its distribution.',
            'The release of Redis or Valkey is past its end of support, and it is not a package of a distribution that'
                .' still gets fixes.',
            EndOfSupport::sources('redis', 'valkey'),
            60,
        );
    }

    public function examine(Facts $facts): array
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
