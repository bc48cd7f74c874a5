<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/**
 * How the last item of a list may be broken while the list itself stays on the line:
 * `foo('x', [` or `foo(function () {`.
 *
 * @internal
 */
enum Hug
{
    /** An array, a closure or a match. */
    case Literal;
    /** A call, which is hugged only where it is the only item. */
    case Call;
    /** An arrow function, whose body may be a literal or a call. */
    case Arrow;
}
