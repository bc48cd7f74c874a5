<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * How something is meant; never told by colour alone, so say it in words as well.
 *
 * @internal
 */
enum Tone: string
{
    case Plain = 'plain';
    /** An aim that was reached. */
    case Good = 'good';
    /** An aim that was missed, an invalid run, something that must be known before one reads on. */
    case Alert = 'alert';
    /** Beside the point: not measured, of another machine. Not for sections. */
    case Quiet = 'quiet';
}
