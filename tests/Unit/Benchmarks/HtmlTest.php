<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Headroom\Benchmarks\Html;
use InvalidArgumentException;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class HtmlTest extends TestCase
{
    #[Test]
    public function text_can_not_become_markup(): void
    {
        self::assertSame(
            '<p title="&quot; onload=&apos;x&apos;">&lt;script&gt;1 &amp;lt; 2&lt;/script&gt;</p>',
            (string) Html::element('p', ['title' => '" onload=\'x\''], '<script>1 &lt; 2</script>'),
        );
    }

    #[Test]
    public function bytes_that_are_no_text_are_shown_as_such(): void
    {
        self::assertSame("<p>a\u{FFFD}b\u{FFFD}</p>", (string) Html::element('p', [], "a\xffb\x00"));
    }

    #[Test]
    public function elements_are_kept_and_attributes_without_a_value_are_not(): void
    {
        self::assertSame('<p id="1"><b>x</b>y<br></p>', (string) Html::element('p', ['id' => 1, 'class' => null], Html::element('b', [], 'x'), Html::together('y', Html::element('br'))));
    }

    #[Test]
    public function a_style_does_not_end_before_its_end(): void
    {
        self::assertSame('<style>a > b {}</style>', (string) Html::style('a > b {}'));
        $this->expectException(InvalidArgumentException::class);
        Html::style('a{} </style><script>');
    }
}
