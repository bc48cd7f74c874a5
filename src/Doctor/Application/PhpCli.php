<?php

declare(strict_types=1);

namespace Headroom\Doctor\Application;

use Headroom\Doctor\Evidence;

/**
 * The PHP of the command line, in which queue workers and the doctor run.
 *
 * @internal
 */
final readonly class PhpCli
{
    /** @param ?string $phpredis version of the extension; null if it is not loaded */
    public function __construct(public float $socketTimeout, public ?string $phpredis) {}

    public static function ofThisProcess(): self
    {
        $version = phpversion('redis');

        return new self((float) ini_get('default_socket_timeout'), $version === false ? null : $version);
    }

    public function evidence(): Evidence
    {
        return new Evidence('default_socket_timeout', (string) $this->socketTimeout, 'php.ini of the command line');
    }
}
