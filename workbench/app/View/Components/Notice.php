<?php

declare(strict_types=1);

namespace Workbench\App\View\Components;

use Illuminate\Contracts\View\View;
use Illuminate\View\Component;

/**
 * A box that says something.
 */
final class Notice extends Component
{
    public function __construct(public readonly string $kind = 'info') {}

    public function render(): View
    {
        return view('components.notice');
    }
}
