<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Support;

use Headroom\Support\WebhookSignature;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class WebhookSignatureTest extends TestCase
{
    /** The example that the specification's own libraries are tested with. */
    #[Test]
    public function it_signs_as_the_libraries_of_the_specification_do(): void
    {
        $key = WebhookSignature::key('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
        self::assertNotNull($key);

        self::assertSame(
            'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
            WebhookSignature::of($key, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', '{"test": 2432232314}'),
        );
    }

    #[Test]
    public function a_secret_without_the_prefix_is_the_key_itself(): void
    {
        self::assertSame('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', WebhookSignature::key('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'));
    }

    #[Test]
    public function a_secret_that_is_none_gives_no_key(): void
    {
        self::assertNull(WebhookSignature::key(''));
        self::assertNull(WebhookSignature::key('whsec_'));
        self::assertNull(WebhookSignature::key('whsec_not base64!'));
    }
}
