<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * The meaning of a colour. Readers may not see colours, so the words say it as well.
 *
 * @internal
 */
enum Tone: string
{
    case Plain = 'plain';
    /** An aim that was reached. */
    case Good = 'good';
    /** An aim that was missed, an invalid run, or a warning about the numbers below. */
    case Alert = 'alert';
    /** Less important: not measured, of another machine. Not for sections. */
    case Quiet = 'quiet';
}
