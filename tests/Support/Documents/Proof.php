<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

/**
 * How far a test has held a code block to the truth.
 */
enum Proof: string
{
    /** Its code ran in an application, or a command printed it. */
    case Ran = 'ran';

    /** The real program, or a parser of its language, accepts it, and the names in it exist. */
    case Checked = 'checked';

    /** No program can hold it to anything; a person has read it. */
    case Read = 'read';
}
