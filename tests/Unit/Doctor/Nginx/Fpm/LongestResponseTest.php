<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Fpm;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Fpm\LongestResponse;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class LongestResponseTest extends TestCase
{
    #[Test]
    #[TestWith(['location / { fastcgi_pass unix:/a; }', '0', 60_000, 60_000])]
    #[TestWith(['location / { fastcgi_pass unix:/a; }', '20s', 20_000, 60_000])]
    #[TestWith(['location / { fastcgi_pass unix:/a; }', '90s', 60_000, 60_000])]
    #[TestWith(['location / { fastcgi_pass unix:/else; fastcgi_read_timeout 9s; }', '20s', 9_000, 9_000])]
    #[TestWith([
        'location / { fastcgi_pass unix:/a; } location /b { fastcgi_pass unix:/a; fastcgi_read_timeout 90s; }',
        '20s',
        20_000,
        90_000,
    ])]
    #[TestWith(['location / { return 200; }', '20s', 0, 0])]
    public function the_shorter_limit_ends_a_request_and_the_longest_request_counts(
        string $server,
        string $terminate,
        int $longest,
        int $allowed,
    ): void {
        $machine = new WebServers;
        $nginx = $machine->nginx([10 => Configs::from("http { server { {$server} } }")])->known[0];
        $pools = $machine->fpm(['www' => ['listen' => '/a', 'request_terminate_timeout' => $terminate]]);
        $facts = new Facts([FpmPools::class => static fn (): FpmPools => $pools]);

        $response = LongestResponse::of($nginx->facts->servers()[0], $nginx, $facts);

        self::assertSame([$longest, $allowed], [$response->milliseconds, $response->allowed]);
        self::assertSame($longest === 0, $response->evidence === []);
    }
}
