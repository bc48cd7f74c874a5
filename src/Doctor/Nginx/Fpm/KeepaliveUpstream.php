<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\Upstream;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * An upstream to which the workers of an nginx keep idle connections, and a fastcgi_pass that leads to it.
 *
 * @internal
 */
final readonly class KeepaliveUpstream
{
    public function __construct(public NginxServer $nginx, public FastcgiPass $pass, public Upstream $upstream) {}
}
