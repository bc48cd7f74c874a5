<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Laravel\Preload;

use Headroom\Laravel\Preload\SampledRequest;
use Illuminate\Http\Request;
use Illuminate\Routing\Route;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class SampledPageTest extends TestCase
{
    #[Test]
    #[TestWith(['GET', 'posts/{post}', 200, '/posts/5'])]
    #[TestWith(['GET', 'posts/{post}', 302, '/posts/5'])]
    #[TestWith(['GET', null, 200, '/posts/5'])]
    #[TestWith(['GET', 'posts/{post}', 404, null])]
    #[TestWith(['GET', 'posts/{post}', 500, null])]
    #[TestWith(['GET', 'posts/{post}', false, null])]
    #[TestWith(['HEAD', 'posts/{post}', 200, null])]
    #[TestWith(['POST', 'posts/{post}', 200, null])]
    #[TestWith(['GET', 'posts/{token}', 200, null])]
    #[TestWith(['GET', '{a}/{inviteCode?}', 200, null])]
    public function a_page_is_an_answered_get_without_a_secret_in_its_path(
        string $method,
        ?string $uri,
        int|bool $status,
        ?string $page,
    ): void {
        $route = $uri === null ? null : new Route(['GET', 'HEAD', 'POST'], $uri, static fn (): string => '');

        self::assertSame(
            $page,
            SampledRequest::page(Request::create('http://localhost/posts/5?a=secret', $method), $route, $status),
        );
    }
}
