<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Curl;

use Headroom\Load\Curl\Diagnosis;
use Headroom\Load\Failure;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

#[RequiresPhpExtension('curl')]
final class DiagnosisTest extends TestCase
{
    /** CURLE_TOO_LARGE, which PHP has no name for, is 100 since libcurl 8.6. */
    #[Test]
    #[TestWith([0x075801, Failure::HeaderTooLong])]
    #[TestWith([0x0805FF, Failure::HeaderTooLong])]
    #[TestWith([0x080600, Failure::Other])]
    #[TestWith([0x081100, Failure::Other])]
    public function a_lack_of_memory_is_one_since_libcurl_has_a_word_for_long_headers(int $libcurl, Failure $lack): void
    {
        $diagnosis = new Diagnosis(curl_init(), $libcurl);

        self::assertSame([$lack, Failure::HeaderTooLong], [$diagnosis->failure(CURLE_OUT_OF_MEMORY), $diagnosis->failure(100)]);
    }
}
