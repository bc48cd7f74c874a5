<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * A check of an application, which config/headroom.php lists. It brings its own text; the texts of the package are
 * files.
 */
interface CustomCheck extends Check
{
    public function text(): CheckText;
}
