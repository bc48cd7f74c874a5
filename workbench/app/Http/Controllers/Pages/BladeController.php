<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Contracts\View\View;
use Illuminate\Http\Request;

/**
 * A page with a layout, a component and a form, whose token is another for each visitor.
 */
final class BladeController
{
    public function __invoke(Request $request): View
    {
        $visits = (int) $request->session()->get('visits') + 1;
        $request->session()->put('visits', $visits);

        return view('pages.contact', ['visits' => $visits, 'topics' => ['Orders', 'Returns', 'Press & <media>']]);
    }
}
