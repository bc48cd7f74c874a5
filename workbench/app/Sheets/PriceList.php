<?php

declare(strict_types=1);

namespace Workbench\App\Sheets;

use Sheets\Contracts\FromRows;

/**
 * For a package of spreadsheets that an application may or may not have. Without it this class can not be declared.
 */
final class PriceList implements FromRows
{
    /** @return list<list<string>> */
    public function rows(): array
    {
        return [['product 1', '5.37'], ['product 2', '5.74']];
    }
}
