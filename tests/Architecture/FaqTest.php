<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/faq.md answers each question in a few sentences, and links to the page with the details.
 */
final class FaqTest extends TestCase
{
    private const MOST_WORDS = 90;

    /** The licence has no page in docs. */
    private const WITHOUT_LINK = 'What does it cost in money and servers?';

    #[Test]
    public function each_answer_is_short_and_has_a_link(): void
    {
        preg_match_all('/^### ([^\n]+)\n\n(.+?)(?=\n#|\z)/ms', Files::read('docs/faq.md'), $answers, PREG_SET_ORDER);
        self::assertGreaterThan(15, count($answers));

        foreach ($answers as [, $question, $answer]) {
            self::assertStringEndsWith('?', $question);
            self::assertLessThanOrEqual(self::MOST_WORDS, str_word_count($answer), $question);
            self::assertStringNotContainsString("\n\n", trim($answer), "{$question} has one paragraph.");

            if ($question !== self::WITHOUT_LINK) {
                self::assertMatchesRegularExpression('/\]\([a-z-]+\.md[#)]/', $answer, $question);
            }
        }
    }
}
